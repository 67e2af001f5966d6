// Holdfast's plugin for opencode: put here by `holdfast install opencode`, taken out by `holdfast uninstall opencode`.
import { spawn } from "node:child_process"

const COMMAND = ["holdfast", "hook", "opencode"]
const REVIEWS = COMMAND.includes("--review")

// Holdfast's answer to an event, or an empty one. It never fails, and never takes longer than ten seconds.
const ask = (event) =>
  new Promise((resolve) => {
    let said = ""
    const done = () => {
      try {
        resolve(JSON.parse(said))
      } catch {
        resolve({})
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
  const known = new Map()

  // A subagent's session is a child of the one that called it: its plan stands beside that one's.
  const whose = async (id) => {
    if (!known.has(id)) {
      const found = await client.session.get({ path: { id } }).catch(() => undefined)
      known.set(id, found?.data?.parentID)
    }
    const parent = known.get(id)
    return parent ? { session_id: parent, agent_id: id } : { session_id: id }
  }

  const send = async (name, id, more) => ask({ hook_event_name: name, cwd: directory, ...(await whose(id)), ...more })
  const tell = async (...event) => (await send(...event)).hookSpecificOutput?.additionalContext ?? ""
  const used = (input, args) => ({ tool_name: input.tool, tool_input: args, tool_use_id: input.callID })

  return {
    "tool.execute.before": async (input, output) => {
      if (!REVIEWS) return
      const answer = await send("tool.execute.before", input.sessionID, used(input, output.args))
      if (answer.decision === "deny") throw new Error(answer.reason)
    },
    "tool.execute.after": async (input, output) => {
      const text = await tell("tool.execute.after", input.sessionID, used(input, input.args))
      if (text) output.output = `${output.output}\n\n${text}`
    },
    "chat.message": async (input, output) => {
      const prompt = output.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ")
      const text = await tell("chat.message", input.sessionID, { prompt, prompt_id: output.message?.id })
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
    // opencode ends: its conversations are over until somebody continues them.
    dispose: async () => {
      const own = [...known.keys()].filter((id) => !known.get(id))
      await Promise.all(own.map((id) => send("session.ended", id)))
    },
  }
}
