"""Packets, calls and credit of the wire (docs/protocol.md of the project). No I/O: a blocking socket and asyncio share it."""
