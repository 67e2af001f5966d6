// Holdfast's plugin for opencode: put here by `holdfast install opencode`, taken out by `holdfast uninstall opencode`.
import { spawn } from "node:child_process"

const COMMAND = ["holdfast", "hook", "opencode"]

// What Holdfast wants the model to read, or nothing. It never fails, and never takes longer than ten seconds.
const ask = (event) =>
  new Promise((resolve) => {
    let said = ""
    const done = () => {
      try {
        resolve(JSON.parse(said).hookSpecificOutput.additionalContext)
      } catch {
        resolve("")
      }
    }
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"], timeout: 10_000 })
      child.stdout.on("data", (piece) => (said += piece))
      child.stdin.on("error", () => {})
      child.on("error", done)
      child.on("close", done)
      child.stdin.end(JSON.stringify(event))
    } catch {
      done()
    }
  })

export const Holdfast = async ({ client, directory }) => {
  const parents = new Map()

  // A subagent's session is a child of the one that called it: its plan stands beside that one's.
  const whose = async (id) => {
    if (!parents.has(id)) {
      const found = await client.session.get({ path: { id } }).catch(() => undefined)
      parents.set(id, found?.data?.parentID)
    }
    const parent = parents.get(id)
    return parent ? { session_id: parent, agent_id: id.slice(-8) } : { session_id: id }
  }

  const tell = async (name, id, more) => ask({ hook_event_name: name, cwd: directory, ...(await whose(id)), ...more })

  return {
    "tool.execute.after": async (input, output) => {
      const text = await tell("tool.execute.after", input.sessionID, { tool_name: input.tool, tool_input: input.args })
      if (text) output.output = `${output.output}\n\n${text}`
    },
    "chat.message": async (input, output) => {
      const text = await tell("chat.message", input.sessionID)
      const last = output.parts.at(-1)
      if (text && last) output.parts.push({ ...last, id: `${last.id}h`, type: "text", text, synthetic: true })
    },
    "experimental.session.compacting": async (input, output) => {
      const text = await tell("session.compacting", input.sessionID)
      if (text) output.context.push(text)
    },
    event: async ({ event }) => {
      if (event.type === "session.compacted") await tell("session.compacted", event.properties.sessionID)
    },
  }
}
