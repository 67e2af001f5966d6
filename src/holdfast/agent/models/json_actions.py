"""Tools for models that cannot call them: one JSON action at a time, by a schema that the server enforces."""

import json
import re
import uuid
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from ...attention.offers import Offer
from ...attention.piggyback import unrideable
from ..messages import UNREADABLE, Block, Definition, Message, ModelAnswer, OnText, text
from .action_schema import FIELD, FINISH, JSON, action_schema, describe_tools
from .chat_form import blocks_of, joined_text, result_text, to_chat

TOOL_NAME = re.compile(rf'"{FIELD}"\s*:\s*"([^"]*)"')


class ChatModel(Protocol):
    """A model that answers a conversation in chat form, like OpenAIModel."""

    def chat(self, messages: Sequence[JSON], on_text: OnText | None = None, **options: Any) -> ModelAnswer:
        """The answer; `options` are the API's own. Raises ModelError if there is no answer."""
        ...


class JSONActions:
    """A model that acts by one JSON object per turn, on a server that takes `response_format: json_schema`.

    `offer` says which actions make sense next (`agent.attention.offer`). Only those are then possible, and a plan
    write, by the tool `plan_tool`, can hold only what makes sense. With `None`, every tool is always possible.
    `read_only_tools` are the names of the tools that only read.
    """

    offer: Callable[[], Offer] | None = None
    plan_tool = "TodoWrite"
    most_tokens = 2048
    read_only_tools: Collection[str] = ()

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    def query(
        self, system: str, messages: Sequence[Message], tools: Sequence[Definition], on_text: OnText | None = None
    ) -> ModelAnswer:
        """The model's next action: one tool call, or its answer in words, which goes to `on_text` in one piece.

        With no tools it simply answers. Raises ModelError, in one line that says what to do, if there is no answer.
        """
        if not tools:
            return self.model.chat(to_chat(system, messages), on_text, max_tokens=self.most_tokens)
        chat = [
            {"role": "system", "content": f"{system}\n\n{describe_tools([*map(unrideable, tools)])}".lstrip()},
            *map(_chat_message, messages),
        ]
        schema = {"type": "json_schema", "json_schema": {"name": "action", "schema": self._schema(tools)}}
        answer = self.model.chat(chat, response_format=schema, temperature=0, max_tokens=self.most_tokens)
        block = _read_action("".join(part["text"] for part in answer.blocks if part["type"] == "text"))
        if block["type"] == "text" and on_text is not None:
            on_text(block["text"])
        return answer._replace(blocks=[block] if block.get("text") != "" else [])

    def _schema(self, tools: Sequence[Definition]) -> JSON:
        offer = self.offer() if self.offer is not None else Offer(write=True, work=True, stop=True, ride=True)
        offered = [self._narrow_schema(tool, offer) for tool in tools if self._makes_sense(tool, offer)]
        return action_schema(offered, offer.stop) if offered or offer.stop else action_schema(tools)

    def _makes_sense(self, tool: Definition, offer: Offer) -> bool:
        if tool["name"] == self.plan_tool:
            return offer.write
        return offer.allows(tool["name"], tool["name"] in self.read_only_tools)

    def _narrow_schema(self, tool: Definition, offer: Offer) -> Definition:
        if tool["name"] == self.plan_tool:
            return tool if offer.schema is None else {**tool, "input_schema": offer.schema}
        return tool if offer.ride else unrideable(tool)


def _chat_message(message: Message) -> JSON:
    """A message as such a model sees it: its own actions as JSON, the results as the user's text."""
    if message["role"] == "assistant":
        actions = [{FIELD: call["name"], **call["input"]} for call in blocks_of(message, "tool_use")]
        actions = actions or [{FIELD: FINISH, "text": joined_text(message)}]
        return {"role": "assistant", "content": "\n".join(json.dumps(act, ensure_ascii=False) for act in actions)}
    results = [result_text(block) for block in blocks_of(message, "tool_result")]
    return {"role": "user", "content": "\n\n".join(part for part in (*results, joined_text(message)) if part)}


def _read_action(raw: str) -> Block:
    """The action in an answer. A cut-off action is an unreadable call; anything else is a text."""
    try:
        action = json.loads(raw[raw.find("{") : raw.rfind("}") + 1])
    except (ValueError, RecursionError):
        action = None
    if isinstance(action, dict) and isinstance(action.get(FIELD), str):
        name = action.pop(FIELD)
        return text(str(action.get("text", ""))) if name == FINISH else _call(name, action)
    cut_off_name = TOOL_NAME.search(raw)
    if cut_off_name is None or cut_off_name[1] == FINISH:
        return text(raw.strip())
    return _call(cut_off_name[1], {UNREADABLE: raw})


def _call(name: str, arguments: JSON) -> Block:
    return {"type": "tool_use", "id": f"call_{uuid.uuid4().hex}", "name": name, "input": arguments}
