"""The functions of a C++ file with their lines and nesting, by their braces: enough for code that clang-format has laid out."""
import re


def blanked(text):
    """The code alone: comments, strings, character literals and preprocessor lines are spaces, and every line is where it was."""
    spaces = lambda found: re.sub(r"[^\n]", " ", found.group(0))
    text = re.sub(
        r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', spaces, text, flags=re.S
    )
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", spaces, text, flags=re.M)


def kind_of_brace(head):
    """What the brace outside of a function opens, after the text of its declaration."""
    if re.search(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$", head):
        return "scope"
    if "(" not in head or re.search(r"=\s*$", head) or re.match(r".*=\s*[\w:<>]*$", head.split("(")[0]):
        return "initialiser"
    members = re.search(r"\)\s*(noexcept\s*)?:\s*(?!:)", head)  # of a constructor: name{...} is not its body
    return "initialiser" if members and re.search(r"[,:]\s*[\w:<>]+$", head) else "function"


BLOCK = re.compile(r"(\)|\belse|\bdo|\btry|\bmutable|\bconst|->\s*[\w:<>*&, ]+)$")


def functions(text):
    """(name, line, lines, deepest nesting) of each function that the text defines; a lambda belongs to the function around it."""
    code = blanked(text)
    opened = []  # what each open brace is
    name, line, level, depth, deepest = None, 0, 0, 0, 0
    begin = 0  # of the declaration that is being read
    for found in re.finditer(r"[{};]", code):
        at = found.start()
        if found.group() == "{":
            if name is not None:
                kind = "block" if BLOCK.search(code[max(0, at - 200):at].rstrip()) else "other"
                depth += kind == "block"
                deepest = max(deepest, depth)
            else:
                head = code[begin:at].strip()
                kind = kind_of_brace(head)
                if kind == "function":
                    named = re.search(r"([\w:~]+)\s*\($", head[:head.find("(") + 1])
                    name, level, depth, deepest = named.group(1) if named else "?", len(opened), 0, 0
                    line = code.count("\n", 0, at - len(code[begin:at].lstrip())) + 1
            opened.append(kind)
            begin = at + 1 if kind == "scope" else begin
            continue
        if found.group() == "}" and opened:
            kind = opened.pop()
            depth -= kind == "block"
            if kind == "function" and len(opened) == level:
                yield name, line, code.count("\n", 0, at) + 2 - line, deepest
                name = None
            if kind == "initialiser":
                continue
        if name is None:
            begin = at + 1
