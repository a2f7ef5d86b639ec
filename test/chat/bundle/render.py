"""Renders chat templates with jinja2, as Python programs render them. Reads and writes JSON."""

import datetime
import functools
import json
import sys

from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import SandboxedEnvironment


def refuse(message):
    raise TemplateError(message)


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class Generation(Extension):
    """A block around what the model writes. It only matters for training."""

    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


environment = SandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation])
environment.filters["tojson"] = to_json
environment.globals["raise_exception"] = refuse
environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)


compiled = functools.cache(environment.from_string)


def render(template, variables):
    try:
        return {"text": compiled(template).render(**variables)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


task = json.load(sys.stdin)
json.dump([render(task["templates"][one["template"]], one["variables"]) for one in task["renderings"]], sys.stdout)
