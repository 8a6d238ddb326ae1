import { readJson } from './answered-rows.ts'
import { startFleetgate } from './child-server.ts'

/** Milliseconds from the start of a server on a data folder to its first answer. */
export async function firstAnswerMs(data: string, path: string, key: string): Promise<number> {
  const begun = performance.now()
  await using server = await startFleetgate(data)
  await readJson(server.port, path, { 'x-api-key': key })
  return performance.now() - begun
}
