// Asking the server.

/** What the server answered when it did not do what it was asked for. `status` is 0 if it did not answer. */
export class Trouble extends Error {
  constructor(message, status = 0, data = {}) {
    super(message);
    this.status = status;
    this.data = data;
  }
}

async function ask(method, path, { body, revision } = {}) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-Holdfast"] = "1";
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (revision !== undefined) headers["If-Match"] = `"${revision}"`;
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body), cache: "no-store" });
  } catch {
    throw new Trouble("");
  }
  if (response.status === 401) location.reload();
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new Trouble(data.error ?? response.statusText, response.status, data);
  return data;
}

const plan = (id) => `/api/plans/${encodeURIComponent(id)}`;
const todo = (id, name) => `${plan(id)}/todos/${encodeURIComponent(name)}`;

/** The sessions that a query asks for. */
export const askSessions = (query = {}) => ask("GET", `/api/sessions?${new URLSearchParams(query)}`);
export const askActivity = (query = {}) => ask("GET", `/api/activity?${new URLSearchParams(query)}`);
export const askPlan = (id) => ask("GET", plan(id));
export const askPlanAt = (id, revision) => ask("GET", `${plan(id)}/revisions/${revision}`);
export const askHistory = (id, query = {}) => ask("GET", `${plan(id)}/history?${new URLSearchParams(query)}`);

/** A person's changes. Each says which revision the person saw, and gives the plan after it. */
export const changeTodo = (id, name, body, revision) => ask("PATCH", todo(id, name), { body, revision });
export const addTodo = (id, body, revision) => ask("POST", `${plan(id)}/todos`, { body, revision });
export const removeTodo = (id, name, revision) => ask("DELETE", todo(id, name), { revision });
export const undo = (id, revision) => ask("POST", `${plan(id)}/undo`, { revision });
export const redo = (id, revision) => ask("POST", `${plan(id)}/redo`, { revision });
export const restore = (id, body, revision) => ask("POST", `${plan(id)}/restore`, { body, revision });
export const approve = (id, revision) => ask("POST", `${plan(id)}/approve`, { revision });
export const rename = (id, body, revision) => ask("PUT", `${plan(id)}/name`, { body, revision });
export const moveTodo = (id, name, position, revision) =>
  ask("PUT", `${todo(id, name)}/position`, { body: { position }, revision });
