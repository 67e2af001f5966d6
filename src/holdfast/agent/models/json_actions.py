"""Tools for models that cannot call any: one action at a time as JSON, which the server holds to a schema."""

import json
import re
import uuid
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from ...attention.offers import Offer
from ..messages import UNREADABLE, Answer, Block, Definition, Message, OnText, text
from .action_schema import FIELD, FINISH, JSON, action_schema, describe
from .chat_form import blocks, result_text, texts, to_chat

TOOL_NAME = re.compile(rf'"{FIELD}"\s*:\s*"([^"]*)"')


class Chat(Protocol):
    """What answers a conversation in chat form: OpenAIModel does."""

    def chat(self, messages: Sequence[JSON], on_text: OnText | None = None, **options: Any) -> Answer:
        """The answer; `options` are the API's own. Raises ModelError if there is none to be had."""
        ...


class JSONActions:
    """A model that acts by one JSON object a turn, on a server that takes `response_format: json_schema`.

    `offer` says which actions make sense next (`agent.attention.offer`): only those are then possible, and a plan
    write, by the tool `plan_tool`, holds only what makes sense. With none every tool is always possible. `looks` names
    the tools that only read.
    """

    def __init__(
        self,
        model: Chat,
        offer: Callable[[], Offer] | None = None,
        plan_tool: str = "TodoWrite",
        most_tokens: int = 2048,
        looks: Collection[str] = (),
    ) -> None:
        self.model = model
        self.offer = offer
        self.plan_tool = plan_tool
        self.most_tokens = most_tokens
        self.looks = looks

    def query(
        self, system: str, messages: Sequence[Message], tools: Sequence[Definition], on_text: OnText | None = None
    ) -> Answer:
        """The model's next action: one tool call, or its answer in words, which goes to `on_text` in one piece.

        With no tools it simply answers. Raises ModelError, in one line that says what to do, if there is no answer.
        """
        if not tools:
            return self.model.chat(to_chat(system, messages), on_text, max_tokens=self.most_tokens)
        chat = [{"role": "system", "content": f"{system}\n\n{describe(tools)}".lstrip()}, *map(_told, messages)]
        schema = {"type": "json_schema", "json_schema": {"name": "action", "schema": self._schema(tools)}}
        answer = self.model.chat(chat, response_format=schema, temperature=0, max_tokens=self.most_tokens)
        block = _read("".join(part["text"] for part in answer.blocks if part["type"] == "text"))
        if block["type"] == "text" and on_text is not None:
            on_text(block["text"])
        return answer._replace(blocks=[block] if block.get("text") != "" else [])

    def _schema(self, tools: Sequence[Definition]) -> JSON:
        offer = self.offer() if self.offer is not None else Offer(write=True, work=True, stop=True)
        offered = [self._narrowed(tool, offer) for tool in tools if self._makes_sense(tool, offer)]
        return action_schema(offered, offer.stop) if offered or offer.stop else action_schema(tools)

    def _makes_sense(self, tool: Definition, offer: Offer) -> bool:
        if tool["name"] == self.plan_tool:
            return offer.write
        return offer.work and (offer.look or tool["name"] not in self.looks)

    def _narrowed(self, tool: Definition, offer: Offer) -> Definition:
        if tool["name"] != self.plan_tool or offer.schema is None:
            return tool
        return {**tool, "input_schema": offer.schema}


def _told(message: Message) -> JSON:
    """A message as such a model knows it: its own actions as JSON, the results as the user's words."""
    if message["role"] == "assistant":
        calls = [json.dumps({FIELD: call["name"], **call["input"]}, ensure_ascii=False) for call in _calls(message)]
        if not calls:
            calls = [json.dumps({FIELD: FINISH, "text": texts(message)}, ensure_ascii=False)]
        return {"role": "assistant", "content": "\n".join(calls)}
    results = [result_text(block) for block in blocks(message, "tool_result")]
    return {"role": "user", "content": "\n\n".join(part for part in (*results, texts(message)) if part)}


def _calls(message: Message) -> list[Block]:
    return list(blocks(message, "tool_use"))


def _read(raw: str) -> Block:
    """The action in an answer. One that was cut off is a call that cannot be read; what is no action is a text."""
    try:
        action = json.loads(raw[raw.find("{") : raw.rfind("}") + 1])
    except (ValueError, RecursionError):
        action = None
    if isinstance(action, dict) and isinstance(action.get(FIELD), str):
        name = action.pop(FIELD)
        return text(str(action.get("text", ""))) if name == FINISH else _call(name, action)
    name_of_cut = TOOL_NAME.search(raw)
    if name_of_cut is None or name_of_cut[1] == FINISH:
        return text(raw.strip())
    return _call(name_of_cut[1], {UNREADABLE: raw})


def _call(name: str, arguments: JSON) -> Block:
    return {"type": "tool_use", "id": f"call_{uuid.uuid4().hex}", "name": name, "input": arguments}
