import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { isLoopback } from '../../domain/loopback.ts'
import type { Client } from './client.ts'
import { onOwnConnection } from './own-connection.ts'

/**
 * Asks the servers of a store before it is served. Returns what the operator should know, a sentence each.
 * Rejects with `StoreUnavailable` if the database does not answer. Replicas may be down.
 */
export async function checkForServing(
  database: string,
  replicas: readonly string[],
): Promise<string[]> {
  const asked = await Promise.all([
    onOwnConnection(database, plainPeer),
    ...replicas.map((url) => onOwnConnection(url, plainPeer).catch(() => undefined)),
  ])
  const peers = asked.filter((peer) => peer !== undefined)
  if (peers.length === 0) return []
  return [
    `the connection to PostgreSQL at ${peers.join(', ')} is not encrypted, so others on the way can read and change what is sent: turn on TLS there (ssl = on), and give sslmode=verify-full in its URL`,
  ]
}

/** The address of another machine that a connection goes to in clear. */
async function plainPeer(client: Client): Promise<string | undefined> {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const { remoteAddress } = stream
  // A Unix socket has no address.
  if (stream instanceof TLSSocket || remoteAddress === undefined) return undefined
  return isLoopback(remoteAddress) ? undefined : remoteAddress
}
