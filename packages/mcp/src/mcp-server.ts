import { type Fleetgate, FleetgateError } from '@fleetgate/client'
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server'
import manifest from '../package.json' with { type: 'json' }
import { TOOLS } from './tools/tools.ts'

const INSTRUCTIONS = `Read-only tools over the vehicles of one organization. Times are UTC. Distances are in the unit of
the organization. Begin with find_vehicles: all other tools take its ids. Tools that read positions use up a daily
quota of each vehicle, so ask for the vehicles and days that you need. usage says what is left.`

/** A server with all tools over the fleet of a key. */
export function mcpServer(fleet: Fleetgate): McpServer {
  const { version } = manifest
  const server = new McpServer({ name: 'fleetgate', version }, { instructions: INSTRUCTIONS })
  for (const { name, title, description, input, answer } of TOOLS) {
    const annotations = { readOnlyHint: true, openWorldHint: false }
    const about = { title, description, inputSchema: input, annotations }
    server.registerTool(name, about, (given, { mcpReq: { signal } }) =>
      resultOf(() => answer(fleet, given, signal)),
    )
  }
  return server
}

/** The answer as JSON. A refusal of the API is a result too, so that the model reads why. */
async function resultOf(answer: () => Promise<object>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await answer()) }] }
  } catch (error) {
    if (!(error instanceof FleetgateError)) throw error
    return { isError: true, content: [{ type: 'text', text: error.message }] }
  }
}
