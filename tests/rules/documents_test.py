#!/usr/bin/env python3
"""What docs/design.md and CONTRIBUTING.md say about the tree, held against the tree.

usage: documents_test.py
"""
import pathlib
import re
import unittest

import check
from cpp_functions import blanked

ROOT = check.HERE.parent.parent
DESIGN = ROOT / "docs" / "design.md"
RULES = ROOT / "CONTRIBUTING.md"
DECISIONS = ROOT / "docs" / "decisions"


def rows(text, heading):
    """The rows of the first table under a heading, without its first two."""
    lines = text.split(f"\n{heading}\n", 1)[1].splitlines()
    table = []
    for line in lines:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip("|").split("|")])
        elif table:
            break
    return table[2:]


class Design(unittest.TestCase):
    def test_rooms(self):
        """The table has every room, and what each may use is what CMakeLists.txt gives it."""
        stated = {}
        allowed = check.rooms(ROOT)
        for name, _, use in rows(DESIGN.read_text(), "## Rooms"):
            name = name.strip("`")
            if use.startswith("all but "):
                stated[name] = set(allowed) - set(re.findall(r"\w+", use[len("all but "):])) - {name, "and"} | {name}
            else:
                stated[name] = {name} | ({w for w in re.findall(r"\w+", use.split(";")[0])} & set(allowed))
        self.assertEqual(set(stated), {path.name for path in (ROOT / "src").iterdir() if path.is_dir()})
        for name, rooms in allowed.items():
            self.assertEqual(stated[name], rooms & set(allowed), name)

    def test_outcomes(self):
        """The page names every kind of outcome but the one that means that there is none yet."""
        names = re.search(r"kOutcomeNames\[\] = \{(.*?)\}", check.read(ROOT / "src" / "wire" / "outcome.h"), re.S)[1]
        sentences = DESIGN.read_text().split("\n### Outcomes\n")[1].split(". ")[0]
        self.assertEqual(re.findall(r"`([a-z-]+)`", sentences), re.findall(r'"([a-z-]+)"', names)[1:])

    def test_who_starts_processes(self):
        """`exec` is the only room of the tool that starts and kills processes."""
        calls = re.compile(r"\b(v?fork|clone|posix_spawnp?|exec[vl][pe]*|kill|waitpid|wait4|popen|system)\(")
        for path in (ROOT / "src").rglob("*.cpp"):
            if path.relative_to(ROOT / "src").parts[0] in ("exec", "runtime"):
                continue
            for number, line in enumerate(blanked(check.read(path)).splitlines(), 1):
                found = calls.search(line)
                self.assertFalse(found and re.search(r"(::|std::|\s)$", line[: found.start()]), f"{path}:{number}: {line.strip()}")

    def test_files_that_are_named(self):
        """A file or directory that a document names is there."""
        for page in (DESIGN, RULES):
            for name in re.findall(r"`([\w.-]+(?:/[\w.-]+)+/?)`", page.read_text()):
                if re.search(r"NAME|X_test|\.heddle", name):
                    continue
                places = [ROOT / name, ROOT / "src" / name, ROOT / "src" / "runtime" / name]
                self.assertTrue(any(place.exists() for place in places), f"{page.name}: {name}")

    def test_verbs(self):
        """Each verb is in the file of its name, or where the page says, in a function add_NAME."""
        row = next(line for line in DESIGN.read_text().splitlines() if line.startswith("| what does a verb do?"))
        elsewhere = {name: file for names, file in re.findall(r"((?:`[\w-]+`(?: and )?)+): `(cli/\w+\.cpp)`", row) for name in re.findall(r"`([\w-]+)`", names)}
        verbs = {
            name: path for path in (ROOT / "src/cli").glob("*.cpp") for name in re.findall(r'Verb verb\(app, "([\w-]+)"', path.read_text())
        }
        self.assertGreater(len(verbs), 20)
        for name, path in verbs.items():
            self.assertEqual(f"cli/{path.name}", elsewhere.get(name, f"cli/{name.replace('-', '_')}.cpp"))
            self.assertIn(f"void add_{name.split('-')[0]}", path.read_text(), name)

    def test_links(self):
        for page in (ROOT / "README.md", RULES, *(ROOT / "docs").glob("*.md")):
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_the_index_of_decisions(self):
        """It has every page, in the order of the numbers, by the page's own title (more may follow it)."""
        index = [re.match(r"\| \[(\d+)\]\((.*?)\) \| (.*) \|$", line) for line in (DECISIONS / "README.md").read_text().splitlines()]
        index = [row.groups() for row in index if row]
        self.assertEqual([name for _, name, _ in index], sorted(path.name for path in DECISIONS.glob("0*.md")))
        for number, name, title in index:
            heading = (DECISIONS / name).read_text().splitlines()[0]
            self.assertEqual(number, name[:4].lstrip("0"))
            self.assertTrue(heading.startswith(f"# {number}. ") and title.startswith(heading.split(". ", 1)[1]), heading)


class Contributing(unittest.TestCase):
    def test_the_table_of_tests(self):
        """Every directory of tests is in the table, and what the table names is there."""
        named = {name for row in rows(RULES.read_text(), "## Tests") for name in re.findall(r"`tests/(\w+)", row[0])}
        there = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
        self.assertEqual(named, there - {"__pycache__"})

    def test_verbs_of_dev(self):
        """Every ./dev verb that a document names is one."""
        text = (ROOT / "dev").read_text()
        verbs = set(re.findall(r"^#   \./dev ([\w-]+)", text, re.M))
        for page in (ROOT / "README.md", RULES, ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")):
            for verb in re.findall(r"\./dev ([\w-]+)", page.read_text()):
                self.assertIn(verb, verbs, page.name)


if __name__ == "__main__":
    unittest.main()
