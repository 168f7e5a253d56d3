"""The list of cases. A case is a function that gets the node's address and raises when the node is wrong."""

CASES = []


class Case:
    def __init__(self, name, function, section, test_service, slow):
        self.name, self.function, self.section = name, function, section
        self.test_service, self.slow = test_service, slow


def case(name, section, *, test_service=False, slow=0.0):
    """Registers a case: what it is called, the section of docs/protocol.md it checks, whether it needs a node with
    --enable-test-service, and the seconds of specified timers it has to wait for."""

    def register(function):
        if any(other.name == name for other in CASES):
            raise ValueError(f"two cases are called {name}")
        CASES.append(Case(name, function, section, test_service, slow))
        return function

    return register
