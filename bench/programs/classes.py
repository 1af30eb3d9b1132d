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
    "wait": {"wait-without-loop", "ignored-timeout"},
}

# What the advice for a kernel of that class must say.
ONE_LOCK = r"one (lock|critical section)|same lock|hold|one (atomic )?step|compare.exchange|lock"
FIXES = {
    "atomicity": ONE_LOCK,
    "race": ONE_LOCK,
    "order": r"before|wait|first|join",
    "deadlock": r"order|give|release|before|unlock|barrier|count|already|wake|signal",
    "lost-wakeup": r"loop|under|all|broadcast|condition",
    "uaf": r"wait|join|end|before|one (atomic )?step|hold|lock",
    "livelock": r"order|back|turn|wait",
    "misuse": r"only|result|while|again|before",
    "always": r"schedule|order",
    "wait": r"while|loop|again",
}
