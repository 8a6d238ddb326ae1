import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Connection } from './connection.ts'
import { turnedClock } from './turned-clock.fixture.ts'
import { requestWindow } from './window.ts'

/** Answers request number `asked`, counted from 1. */
export type Answering = (response: ServerResponse, asked: number, message: IncomingMessage) => void

export type Refused = [status: number, errorCode?: string, headers?: Record<string, string>]

export function refuse(
  response: ServerResponse,
  ...[status, errorCode = 'ERR999', headers = {}]: Refused
): void {
  const body = { statusCode: status, errorCode, message: `refused ${status}`, timestamp: 'now' }
  response.writeHead(status, headers).end(JSON.stringify(body))
}

/** Timeouts of a connection, which never fire here. */
export const TIMEOUT_MS = 60_000

/** A connection to a server with prepared answers, and a clock that the test turns. */
export async function openConnection(
  t: TestContext,
  answering: Answering,
  more: Partial<Connection> = {},
) {
  let asked = 0
  const server = createServer((message, response) => {
    asked += 1
    answering(response, asked, message)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const clock = turnedClock()
  const paused: number[] = []
  const connection: Connection = {
    base: `http://127.0.0.1:${port}/public/v1`,
    apiKey: 'fg_live_x',
    fetch,
    window: requestWindow(clock),
    // A pause ends at once, and is recorded; a timeout never fires.
    clock: {
      now: clock.now,
      after(ms, call) {
        if (ms >= TIMEOUT_MS) return () => {}
        paused.push(ms)
        const timer = setImmediate(call)
        return () => clearImmediate(timer)
      },
    },
    retries: 3,
    maxWaitMs: 0,
    timeoutMs: TIMEOUT_MS,
    random: () => 0,
    ...more,
  }
  return { connection, paused, asked: () => asked }
}
