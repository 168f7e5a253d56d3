import CaptureOptions

private let filters: [any OptionDeclaration] = [
  Options.assetCamera, Options.since, Options.until, Options.label, Options.assetSequence,
]

/// The commands for the pictures that a node keeps.
let libraryCommand = Command(
  "library", summary: "List, get, add and remove pictures that the node keeps.",
  discussion: [
    "A node keeps pictures if its configuration has a library. 'photo --store' and timelapses put them there."
  ],
  commands: [
    Command(
      "list", summary: "List the pictures, the latest first.",
      options: filters + [Options.assetCount],
      examples: [
        .init("capturectl library list -n 20", "The latest twenty."),
        .init(
          "capturectl library list --since -3600 --label door", "Those of the last hour that have a label."),
      ]),
    Command(
      "get", summary: "Download pictures.",
      discussion: [
        "A download that was cut is in FILE.part, and goes on there the next time. A file gets its name when all of it is here and has the node's checksum."
      ],
      positionals: [Options.gottenAssets.declaration],
      options: [Options.newAssets, Options.assetOutput, Options.resource] + filters,
      examples: [
        .init("capturectl library get --new photos", "Whatever the folder 'photos' does not have yet."),
        .init("capturectl library get 20261125-081502-123-9f86d081 -o desk.jpg", "One picture."),
      ]),
    Command(
      "put", summary: "Add pictures of this machine.", positionals: [Options.uploads.declaration],
      options: [Options.newLabel, Options.uploadCamera, Options.newSequence, Options.created],
      examples: [.init("capturectl library put edited.jpg --label edited", "An edited picture.")]),
    Command(
      "rm", summary: "Delete pictures.", positionals: [Options.assets.declaration],
      examples: [.init("capturectl library rm 20261125-081502-123-9f86d081", "One picture, for good.")]),
    Command(
      "label", summary: "Add and remove labels.", positionals: [Options.assets.declaration],
      options: [Options.addedLabel, Options.removedLabel],
      examples: [
        .init(
          "capturectl library label 20261125-081502-123-9f86d081 --add keep",
          "This one is not removed to make room.")
      ]),
    Command(
      "watch", summary: "Print additions, labels and deletions as they happen.",
      discussion: [
        "A lost connection is made again, and nothing is missed meanwhile. With --json each line is an object; --from takes its 'token'.",
        "'reset' says that the token is too old, of another library, or from before the index was made anew: list the pictures again.",
      ],
      options: [Options.fromToken, Options.execute] + filters,
      examples: [
        .init(
          "capturectl library watch --exec ./back-up",
          "Get each picture as it comes.")
      ]),
    Command(
      "stats", summary: "Show the library's use, its bounds, and this client's permission.",
      examples: [.init("capturectl library stats", "How full is it?")]),
    Command(
      "sheet", summary: "Make a contact sheet: small pictures on one page.",
      options: [Options.sheetOutput, Options.columns, Options.assetCount] + filters,
      examples: [.init("capturectl library sheet -n 60 -o sheet.jpg", "The latest sixty.")]),
  ])
