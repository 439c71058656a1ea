# SPDX-License-Identifier: BSD-3-Clause
# label: lint
"""No two CUDA sources define different things of one name: C++'s one-definition rule, which compilers do not check from file to file.

Looks at what is defined at namespace scope with external linkage: types, functions and function templates, variable templates.  Two files that define the
same name in the same namespace (functions: with parameters of the same types) are a complaint, whoever includes them; what is
static or in an unnamed namespace belongs to its file.  test_odr_link.py compares members of types; bodies of functions, which gcc does not compare,
are this one's alone.
"""
import collections
import re

import sources

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.M)
NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*)$")
ATTRIBUTES = ("__launch_bounds__", "__align__", "__attribute__", "alignas", "__cluster_dims__", "__maxnreg__")
TYPE = re.compile(r"^(?:typedef )?(?:struct|class|union|enum class|enum) (\w+ ?(?:<.*>)?)(?: final)?(?: :[^:].*)?$")
INTERNAL = re.compile(r"\b(static|friend|extern|using|typedef)\b")


def bare(text):
    """Without comments, strings and directives."""
    text = COMMENT_OR_STRING.sub(lambda m: '""' if m[0][0] in "\"'" else " ", text)
    return DIRECTIVE.sub(" ", text)


def matching(text, start, pair="()"):
    """Behind the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == pair[0]) - (text[i] == pair[1])
        if depth == 0:
            return i + 1
    return len(text)


def without_attributes(head):
    for name in ATTRIBUTES:
        while (at := head.find(name + "(")) >= 0:
            head = head[:at] + head[matching(head, at + len(name)):]
    return " ".join(head.split())


def split(text):
    """At commas outside of brackets."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "(<[{") - (c in ")>]}")
        if c == "," and depth == 0:
            parts.append(text[last:i])
            last = i + 1
    return [p.strip() for p in parts + [text[last:]] if p.strip()]


def type_of_parameter(parameter):
    parameter = parameter.split("=")[0].strip()
    array = re.match(r"^(.*)\( ?& ?\w+ ?\)(.*)$", parameter)
    if array:
        return array[1] + array[2]
    is_named = re.search(r"[ &*]\w+$", parameter) and not re.match(r"^(const|unsigned) \w+$", parameter)
    return re.sub(r" ?\b\w+$", "", parameter) if is_named else parameter


def name_of(head):
    """What a definition at namespace scope defines, or None.  head: the text before its { or ;"""
    head = without_attributes(head)
    template = ""
    while head.startswith("template <") or head.startswith("template<"):
        end = matching(head, head.find("<"), "<>")
        template, head = head[:end], head[end:].strip()
    if INTERNAL.search(head.split("(")[0]) and not head.startswith("typedef struct"):
        return None
    type_ = TYPE.match(head)
    if type_:
        return "type " + type_[1].strip()
    call = head.find("(")
    equals = head.find("=")
    if call > 0 and not (0 < equals < call and "operator" not in head):
        name = re.search(r"([\w:~]+|operator ?[^\s\w]{1,3})$", head[:call].strip())
        if not name or "::" in name[1] or name[1] == head[:call].strip():
            return None
        parameters = head[call + 1:matching(head, call) - 1]
        return f"{name[1]}({', '.join(type_of_parameter(p) for p in split(parameters))})"
    variable = re.match(r"^[^=]*?(\w+)(?:<[^=]*>)?(?:\[[^\]]*\])* ?(?:=.*)?$", head)
    return "variable " + variable[1] if template and variable and "using" not in head else None


def definitions(text):
    """Names, with namespace, that a file defines with external linkage."""
    text, scopes, start, i = bare(text), [], 0, 0
    while i < len(text):
        c = text[i]
        if c == ";":
            head = " ".join(text[start:i].split())
            if head.startswith("template") and "=" in head:
                yield from named(scopes, head)
            start = i + 1
        elif c == "}":
            if scopes:
                scopes.pop()
            start = i + 1
        elif c == "(":
            i = matching(text, i) - 1
        elif c == "{":
            head = " ".join(text[start:i].split())
            space = NAMESPACE.match(head)
            if space:
                scopes.append(space[1] or None)
            elif head == 'extern ""':
                scopes.append("")
            else:
                yield from named(scopes, head)
                i = matching(text, i, "{}") - 1
                end = text.find(";", i)
                if end > 0 and (re.match(r"\s*(;|,|\w+\s*;)", text[i + 1:i + 40]) or head.endswith("=")):
                    i = end
            start = i + 1
        i += 1


def named(scopes, head):
    name = None if None in scopes else name_of(head)
    if name:
        yield "::".join([s for s in scopes if s] + [name])


def complaints_of(texts):
    files = collections.defaultdict(set)
    for path, text in texts.items():
        for name in definitions(text):
            files[name].add(path)
    for name, paths in sorted(files.items()):
        if len(paths) > 1:
            yield f"{name} is defined in {', '.join(sorted(paths))}"


def self_test():
    """The check can fail, and only where it should."""
    for count, first, second in (
        (1, "namespace n\n{\nstruct tiles {\n  int a;\n};\n}", "namespace n\n{\nstruct tiles {\n  int b;\n};\n}"),
        (1, "namespace n\n{\ntemplate <class T> struct product {\n  T a;\n};\n}", "namespace n\n{\ntemplate <class T> struct product {\n};\n}"),
        (1, "namespace n\n{\nenum part { WHOLE };\n}", "namespace n\n{\nenum part { LOWER };\n}"),
        (1, "template <class T> DEVICE T inverse_of(T x)\n{\n  return 1 / x;\n}", "template <class T> DEVICE T inverse_of(T d)\n{\n  return 0;\n}"),
        (1, "template <class T> __global__ void __launch_bounds__(256, 2) f(batch<T> a)\n{\n}", "template <class T> __global__ void f(batch<T> b)\n{\n}"),
        (1, "template <class T> constexpr int most = 8;", "template <class T> constexpr int most = sizeof(T);"),
        (0, "namespace n\n{\nstruct tiles {\n};\n}", "namespace m\n{\nstruct tiles {\n};\n}"),
        (0, "namespace n\n{\nnamespace\n{\nstruct tiles {\n};\n}\n}", "namespace n\n{\nnamespace\n{\nstruct tiles {\n};\n}\n}"),
        (0, "static int f(int x)\n{\n  return x;\n}", "static int f(int y)\n{\n  return y;\n}"),
        (0, "int f(int x)\n{\n  return x;\n}", "int f(double x)\n{\n  return 0;\n}"),
        (0, "template <class R> struct traits<complex<R>> {\n};", "template <class R> struct traits {\n};"),
        (0, "/* struct tiles { */\nstruct other {\n  struct tiles {\n  };\n};", "struct tiles {\n};"),
    ):
        found = list(complaints_of({"a.cuh": first, "b.cuh": second}))
        assert len(found) == count, (count, first, second, found)


self_test()
texts = {p: sources.text(p) for layer in sources.LAYERS for p in sources.files(".cu", ".cuh", under=layer)}
found = list(complaints_of(texts))
sources.finish(found, f"{sum(len(set(definitions(t))) for t in texts.values())} definitions in {len(texts)} files")
