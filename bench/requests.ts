import { DRIVE_START, driveEnd } from './drive.ts'
import type { Tenant } from './tenants.ts'

export function detailPath(tenant: Tenant): string {
  return `/public/v1/objects/${tenant.object}`
}

/** `GET /objects/{id}` in wire format. */
export function detailRequest(tenant: Tenant): Buffer {
  const lines = [
    `GET ${detailPath(tenant)} HTTP/1.1`,
    'Host: 127.0.0.1',
    `x-api-key: ${tenant.key}`,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}

/** Returns one item after the other, and starts again at the end. */
export function rotation<T>(items: T[]): () => T {
  let given = 0
  return () => items[given++ % items.length]!
}

/** The whole history of a drive of `rows` fixes. */
export function historyPath(tenant: Tenant, rows: number): string {
  return rangePath(tenant, DRIVE_START, driveEnd(rows))
}

/** The history of the tenant's object between two moments. */
export function rangePath(tenant: Tenant, from: number, to: number): string {
  const [first, last] = [from, to].map((time) => new Date(time).toISOString())
  return `${detailPath(tenant)}/positions?from_time=${first}&to_time=${last}`
}

/** Any request without a body, in wire format. */
export function getRequest(path: string, headers: Record<string, string>): Buffer {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map((pair) => pair.join(': '))
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
}
