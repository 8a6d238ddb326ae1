import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Json } from '../harness/fleetgate.ts'

export const BIN = join(import.meta.dirname, '../../../packages/mcp/bin/fleetgate-mcp.js')
/** The bytes of text that an answer may have. */
export const MAX_BYTES = 8_192

/** The environment of the command. Without a key, each caller brings one. */
export function environment(api: string, apiKey?: string): Record<string, string> {
  const { PATH = '' } = process.env
  return { PATH, FLEETGATE_URL: api, ...(apiKey && { FLEETGATE_API_KEY: apiKey }) }
}

export function newClient(): Client {
  return new Client({ name: 'test', version: '1' })
}

/** A client of the tools over stdio, with a process of its own. Close it. */
export async function overStdio(api: string, apiKey: string, ...args: string[]): Promise<Client> {
  const client = newClient()
  const env = environment(api, apiKey)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [BIN, ...args], env }),
  )
  return client
}

/** The answer of a tool, or the text of its refusal; either has to be short. */
export async function call(client: Client, name: string, input: Json = {}): Promise<Json> {
  const { isError, content } = await client.callTool({ name, arguments: input })
  const { text } = (content as { text: string }[])[0]!
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new Error(`${name} answered ${text.length} characters`)
  return isError ? { refused: text } : JSON.parse(text)
}
