import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type CapturedAnswer, captureAnswer } from './captured-answer.ts'
import { type ChildServer, startYardstick } from './child-server.ts'

/** Starts a bare `node:http` server that sends exactly this answer. */
export async function startRaw(folder: string, answer: CapturedAnswer): Promise<ChildServer> {
  const file = join(folder, 'answer.json')
  writeFileSync(file, JSON.stringify(answer))
  const raw = await startYardstick('raw-server.ts', [file])
  const repeated = await captureAnswer(raw.port, '/', {}, answer.status)
  if (!isDeepStrictEqual(repeated, answer)) throw new Error('the answers differ')
  return raw
}
