import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listening } from '../http/listening.ts'
import type { Metrics } from './metrics.ts'

export type AdminListener = { readonly address: AddressInfo; close(): Promise<void> }

/** Never another: what is told here is for the operator of this machine. */
const LOOPBACK = '127.0.0.1'

/**
 * The operator's listener: `/metrics` (Prometheus), `/health` (the process answers) and `/ready`
 * (it can serve: 200, else 503).
 */
export async function listenAdmin(
  port: number,
  metrics: Metrics,
  isReady: () => boolean,
): Promise<AdminListener> {
  const server = createServer((request, response) => {
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
        return isReady()
          ? sendStatus(response, 200, 'ready')
          : sendStatus(response, 503, 'not ready')
      default:
        return sendStatus(response, 404, 'not found: /metrics, /health or /ready')
    }
  })
  const address = await listening(server, port, LOOPBACK)
  return {
    address,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function sendMetrics(response: ServerResponse, metrics: Metrics): Promise<void> {
  response.setHeader('Content-Type', metrics.contentType)
  response.end(await metrics.text())
}

function sendStatus(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ status: text }))
}
