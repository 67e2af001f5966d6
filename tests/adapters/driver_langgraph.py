"""Plain LangGraph, driven: the graph of the docs and a fake chat model."""

from typing import Any

from adapter_driver import Request, Script, awaited
from driver_langchain import bash, scripted, work, written
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.tools import BaseTool, tool
from recipe_driver import RESEARCH, RecipeDriver, recipe

GRAPH = recipe("frameworks.md", "Plain LangGraph")


class Driver(RecipeDriver):
    """The graph of the docs."""

    def converse(self, conversation: str, script: Script, requests: list[Request]) -> list[str]:
        """A conversation is its messages."""
        chat = scripted(*script.steps, model=script.model)
        chat.requests = requests
        attention = self.session(conversation).attention
        attention.on_user_message("Get it done.")
        tools = [work, *[bash] * script.with_shell, self.researcher(conversation)]
        graph = GRAPH.planned_graph(chat, tools, attention, "You work.")
        before: list[Any] = self.histories.get(conversation, [])
        state: Any = {"messages": [*before, HumanMessage("Get it done.")]}
        if script.streamed:
            *_, state = graph.stream(state, stream_mode="values")
        else:
            state = awaited(graph.ainvoke(state)) if script.asynchronous else graph.invoke(state)
        messages: list[BaseMessage] = state["messages"]
        self.histories[conversation] = list(messages)
        return [written(message) for message in messages]

    def researcher(self, conversation: str) -> BaseTool:
        """A subagent, as a tool."""

        @tool
        def researcher(input: str) -> str:
            """Look something up."""
            graph = GRAPH.planned_graph(scripted(*RESEARCH), [work], self.research(conversation))
            return str(graph.invoke({"messages": [HumanMessage(input)]})["messages"][-1].text)

        return researcher
