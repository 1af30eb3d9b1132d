#!/usr/bin/env python3
"""The page of results says nothing that the pages behind it do not say: each figure of a row stands on the page that the row leads to, and a
ratio is that of the two figures. Links and pictures of all these pages lead somewhere.
"""
import pathlib
import re
import unittest

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
NUMBER = r"(?<![\w.-])\d[\d,]*(?:\.\d+)?"


def rows():
    lines = [line for line in (DOCS / "benchmarks.md").read_text().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def numbers(text):
    return [number.rstrip(",") for number in re.findall(NUMBER, text)]


def value(cell):
    return float(numbers(cell)[0].replace(",", ""))


class Figures(unittest.TestCase):
    def test_each_figure_stands_behind_its_row(self):
        self.assertGreater(len(rows()), 10)
        for what, ours, rival, _, more in rows():
            page = DOCS / re.search(r"\((.*)\)", more)[1]
            there = set(numbers(page.read_text())) | {"0", "1"}
            if "of 88 programs" in what:
                there.add("70")  # 88 less the 18 on which Tinertia leaves more
                self.assertIn("Tinertia has more preemptions than needed on 18", page.read_text())
            self.assertLessEqual(set(numbers(ours)) | set(numbers(rival)), there, (what, page.name))

    def test_ratios(self):
        for what, ours, rival, ratio, _ in rows():
            if ratio == "-":
                self.assertEqual(rival, "-", what)
                continue
            said = value(ratio)
            meant = value(rival) / value(ours) if "times as fast" in ratio else value(ours) / value(rival)
            # The figures are rounded, and so is the ratio of the unrounded ones.
            self.assertLess(abs(said - meant), 0.01 * meant + 0.005, what)

    def test_links(self):
        for page in (DOCS / "benchmarks.md", *(DOCS / "benchmarks").glob("*.md"), *(DOCS / "decisions").glob("*.md")):
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                self.assertTrue((page.parent / link).exists(), (page.name, link))

    def test_every_page_is_reached(self):
        told = (DOCS / "benchmarks.md").read_text()
        for page in (DOCS / "benchmarks").glob("*.md"):
            self.assertIn(f"(benchmarks/{page.name})", told)


if __name__ == "__main__":
    unittest.main()
