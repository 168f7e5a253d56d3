"""Which changes of a contract count as breaking."""

import unittest

from google.protobuf import descriptor_pb2, text_format

from contract import compare, facts

ORIGINAL = """
file {
  package: "p"
  enum_type { name: "E" value { name: "ZERO" number: 0 } value { name: "ONE" number: 1 } }
  message_type {
    name: "M"
    field { name: "a" number: 1 type: TYPE_UINT32 label: LABEL_OPTIONAL }
    field { name: "b" number: 2 type: TYPE_ENUM type_name: ".p.E" label: LABEL_OPTIONAL }
  }
  service { name: "S" method { name: "Do" input_type: ".p.M" output_type: ".p.M" } }
}
"""


def changes(old, new):
    """What `compare` says of ORIGINAL and ORIGINAL with `old` replaced by `new`."""
    assert ORIGINAL.count(old) == 1
    before, after = (facts(text_format.Parse(text, descriptor_pb2.FileDescriptorSet()))
                     for text in (ORIGINAL, ORIGINAL.replace(old, new)))
    gone, added = compare(before, after)
    return len(gone), len(added)


class Contract(unittest.TestCase):
    def test_additions_break_nothing(self):
        field = 'field { name: "c" number: 3 type: TYPE_STRING label: LABEL_OPTIONAL } '
        self.assertEqual(changes('field { name: "a"', field + 'field { name: "a"'), (0, 1))
        self.assertEqual(changes('value { name: "ONE"', 'value { name: "TWO" number: 2 } value { name: "ONE"'), (0, 1))
        self.assertEqual(changes('method {', 'method { name: "X" input_type: ".p.M" output_type: ".p.M" } method {'), (0, 1))

    def test_a_removed_field_breaks(self):
        self.assertEqual(changes('field { name: "a" number: 1 type: TYPE_UINT32 label: LABEL_OPTIONAL }', ""), (1, 0))

    def test_a_renumbered_field_breaks(self):
        self.assertEqual(changes('name: "a" number: 1', 'name: "a" number: 7'), (1, 1))

    def test_a_retyped_field_breaks(self):
        self.assertEqual(changes("TYPE_UINT32 label: LABEL_OPTIONAL", "TYPE_UINT64 label: LABEL_OPTIONAL"), (1, 1))
        self.assertEqual(changes("TYPE_UINT32 label: LABEL_OPTIONAL", "TYPE_UINT32 label: LABEL_REPEATED"), (1, 1))

    def test_a_removed_or_renumbered_value_breaks(self):
        self.assertEqual(changes('value { name: "ONE" number: 1 }', ""), (1, 0))
        self.assertEqual(changes('name: "ONE" number: 1', 'name: "ONE" number: 2'), (1, 1))

    def test_a_changed_method_breaks(self):
        self.assertEqual(changes('method { name: "Do" input_type: ".p.M" output_type: ".p.M" }', ""), (1, 0))
        self.assertEqual(changes('output_type: ".p.M"', 'output_type: ".p.M" server_streaming: true'), (1, 1))


if __name__ == "__main__":
    unittest.main()
