"""What the class in a kernel's header is called in a report. A kernel whose racing accesses are atomic has no data race in the strict sense:
there the report may speak of the broken atomicity."""

CLASSES = {
    "atomicity": {"atomicity-violation", "multi-variable-atomicity-violation"},
    "order": {"order-violation"},
    "deadlock": {"deadlock"},
    "lost-wakeup": {"lost-wakeup"},
    "uaf": {"use-after-free"},
    "race": {"data-race", "atomicity-violation"},
    "livelock": {"livelock"},
    "misuse": {"lock-misuse"},
    "always": {"every-schedule"},
}
