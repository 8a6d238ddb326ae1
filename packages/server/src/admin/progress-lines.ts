import type { IncomingMessage, ServerResponse } from 'node:http'
import { toJson } from '../domain/common/json.ts'

const NDJSON = 'application/x-ndjson'

/** The state of an import: rows and bytes that were read, of `size` bytes. */
export type Progress = { rows: number; bytes: number; size: number }

/** The lines of an answer that shows its progress. The last line is the summary or an error. */
export type ProgressLine = { progress: Progress } | { summary: unknown } | { error: object }

/** Whether the client asks for lines of progress before the summary. */
export function wantsProgress({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes(NDJSON) === true
}

export function sendProgress(response: ServerResponse, line: ProgressLine): void {
  if (response.destroyed) return
  if (!response.headersSent) {
    response.writeHead(200, { 'Content-Type': NDJSON, 'X-Accel-Buffering': 'no' })
  }
  response.write(`${toJson(line)}\n`)
}
