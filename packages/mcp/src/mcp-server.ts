import { type CallToolResult, McpServer } from '@modelcontextprotocol/server'
import manifest from '../package.json' with { type: 'json' }
import { failureText } from './failure.ts'
import { bounded } from './fitted.ts'
import type { Fleet } from './fleets.ts'
import { Times } from './times.ts'
import type { Question, Tool } from './tools/tool.ts'
import { TOOLS } from './tools/tools.ts'

const INSTRUCTIONS = `Read-only tools over the vehicles of one organization. Begin with find_vehicles: other tools take its ids.
Times: each answer has now and time_zone, the clock of the organization. All times of answers are on it, with their offset from UTC. Dates and times without an offset that you give are read on it; a date is the whole local day.
Units: distances in distance_unit (km or mi), speeds in it per hour, durations in seconds, coordinates in degrees.
Vehicles are given with id, name and plate (null: none). null is unknown, not zero.
Answers have at most 8 kB. left_out counts the rows that are missing, and to_continue says how to get them: counts and sums include them.
no_signal_since means that nothing is known of the vehicle after that time. Say so, instead of giving its last position as the present one.
Tools that read positions use up a daily quota of each vehicle, so ask for the vehicles and days that you need. usage says what is left.`

/** A server with all tools over the fleet of a key. */
export function mcpServer(fleet: Fleet): McpServer {
  const { version } = manifest
  const server = new McpServer({ name: 'fleetgate', version }, { instructions: INSTRUCTIONS })
  for (const tool of TOOLS) {
    const { name, title, description, input } = tool
    const annotations = { readOnlyHint: true, openWorldHint: false }
    const about = { title, description, inputSchema: input, annotations }
    server.registerTool(name, about, (given, { mcpReq: { signal } }) =>
      resultOf(() => answerOf(tool, given, fleet, signal)),
    )
  }
  return server
}

async function answerOf(
  tool: Tool,
  given: Parameters<Tool['answer']>[1],
  fleet: Fleet,
  signal: AbortSignal,
): Promise<string> {
  const { time_zone, distance_unit: unit } = await fleet.organization()
  const question: Question = { fleet, times: new Times(time_zone), unit, signal, now: Date.now() }
  return tool.answer(question, given)
}

/** The answer. A refusal is a result too, so that the model reads why, and what to do. */
async function resultOf(answer: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await answer() }] }
  } catch (error) {
    const text = failureText(error, Date.now())
    if (text === undefined) throw error
    return { isError: true, content: [{ type: 'text', text: bounded(text) }] }
  }
}
