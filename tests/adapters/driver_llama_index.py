"""LlamaIndex, driven: the agent of the docs and its own mock of a model."""

import asyncio
from typing import Any
from uuid import uuid4

from adapter_driver import Request, Script, Step, as_json, awaited
from llama_index.core.agent.workflow import AgentStream
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.workflow import Context
from recipe_driver import RESEARCH, RecipeDriver, recipe

from holdfast import AsyncAttention, AsyncBoard

LLAMA_INDEX = recipe("recipes.md", "LlamaIndex")


def scripted(steps: list[Step], requests: list[Request]) -> MockFunctionCallingLLM:
    """A model that plays these steps, and remembers what it was sent."""

    def answer(messages: list[ChatMessage], tools: Any = (), **_: Any) -> ChatMessage:
        system = [written(message) for message in messages if message.role == "system"]
        texts = [written(message) for message in messages if message.role != "system"]
        definitions = as_json([tool.metadata.to_openai_tool() for tool in tools])
        requests.append(Request("\n".join(system), definitions, texts))
        step = steps.pop(0)
        if isinstance(step, str):
            return ChatMessage(role="assistant", content=step)
        blocks = [
            ToolCallBlock(tool_call_id=uuid4().hex, tool_name=call.name, tool_kwargs=dict(call.arguments))
            for call in step
        ]
        return ChatMessage(role="assistant", blocks=blocks)

    return MockFunctionCallingLLM(response_generator=answer)


def written(message: ChatMessage) -> str:
    """A message as one text."""
    blocks = [block.text if isinstance(block, TextBlock) else as_json(block.model_dump()) for block in message.blocks]
    return f"{message.role.value}: {' '.join(blocks)}"


async def work(fails: bool = False, seconds: float = 0.0) -> str:
    """Do some work."""
    await asyncio.sleep(seconds)
    if fails:
        raise ValueError("it broke")
    return "worked"


async def bash(command: str) -> str:
    """Run a command."""
    return f"ran {command}"


class Driver(RecipeDriver):
    """The agent of the docs. LlamaIndex is async only."""

    def converse(self, conversation: str, script: Script, requests: list[Request]) -> list[str]:
        """A conversation is LlamaIndex's own context, kept as data, as over a restart."""
        return awaited(self.talk(conversation, script, requests))

    async def talk(self, conversation: str, script: Script, requests: list[Request]) -> list[str]:
        """Play a script."""

        async def researcher(input: str) -> str:
            """Look something up."""
            board = AsyncBoard.over(self.research(conversation).board)
            agent = LLAMA_INDEX.plan_agent(scripted(list(RESEARCH), []), [], AsyncAttention(board))
            return str(await LLAMA_INDEX.run(agent, input, Context(agent)))

        attention = await self.attention(conversation)
        model = scripted(list(script.steps), requests)
        agent = LLAMA_INDEX.plan_agent(model, [work, *[bash] * script.with_shell, researcher], attention, "You work.")
        kept: list[Any] = self.histories.get(conversation, [])
        context = Context.from_dict(agent, kept[0]) if kept else Context(agent)
        heard: list[object] = []
        await LLAMA_INDEX.run(agent, "Get it done.", context, heard.append)
        assert not script.streamed or any(isinstance(event, AgentStream) and event.delta for event in heard)
        self.histories[conversation] = [context.to_dict()]
        memory = await context.store.get("memory")
        return [written(message) for message in await memory.aget_all()]

    async def attention(self, conversation: str) -> AsyncAttention:
        """The attention of a conversation."""
        session = self.session(conversation)
        return AsyncAttention(AsyncBoard.over(session.board))
