import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isFlooding } from '../http/flooding.ts'
import { listening } from '../http/listening.ts'

/** What the operator's listener tells: of one process, or of several that share their ports. */
export type Told = {
  metrics: { text(): Promise<string>; readonly contentType: string }
  isReady(): boolean | Promise<boolean>
}

export type AdminListener = { readonly address: AddressInfo; close(): Promise<void> }

/** As the other listeners': on a network of the operator's own there are slow clients, too. */
const HTTP_OPTIONS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 250,
}
/** A client that takes no byte of an answer for so long has gone. */
const STALLED_MS = 30_000

/**
 * The operator's listener: `/metrics` (Prometheus), `/health` (the process answers) and `/ready`
 * (it can serve: 200, else 503).
 */
export async function listenAdmin(
  { metrics, isReady }: Told,
  host: string,
  port: number,
): Promise<AdminListener> {
  const server = createServer(HTTP_OPTIONS, (request, response) => {
    if (isFlooding(request.socket)) return void request.socket.destroy()
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.setHeader('Cache-Control', 'no-store')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      return sendStatus(response, 405, 'method not allowed')
    }
    switch (request.url) {
      case '/metrics':
        return void sendMetrics(response, metrics)
      case '/health':
        return sendStatus(response, 200, 'ok')
      case '/ready':
        return void sendReadiness(response, isReady)
      default:
        return sendStatus(response, 404, 'not found: /metrics, /health or /ready')
    }
  })
  server.setTimeout(STALLED_MS)
  const address = await listening(server, port, host)
  return {
    address,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function sendReadiness(response: ServerResponse, isReady: Told['isReady']): Promise<void> {
  if (await isReady()) sendStatus(response, 200, 'ready')
  else sendStatus(response, 503, 'not ready')
}

async function sendMetrics(response: ServerResponse, metrics: Told['metrics']): Promise<void> {
  response.setHeader('Content-Type', metrics.contentType)
  response.end(await metrics.text())
}

function sendStatus(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ status: text }))
}
