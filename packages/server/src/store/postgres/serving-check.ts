import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { isLoopback } from '../../domain/loopback.ts'
import type { Client } from './client.ts'
import { checkConnectionLimits } from './connection-limits.ts'
import { onOwnConnection } from './own-connection.ts'

/**
 * Asks the servers of a store before so many processes serve it. Returns what the operator should know, a
 * sentence each. Rejects with `TooFewConnections`, or with `StoreUnavailable` if the database does not answer.
 * Replicas may be down.
 */
export async function checkForServing(
  database: string,
  replicas: readonly string[],
  processes: number,
): Promise<string[]> {
  const warnings: string[] = []
  const ofDatabase = onOwnConnection(database, async (client) => {
    warnings.push(...(await checkConnectionLimits(client, processes)))
    return plainPeer(client)
  })
  const ofReplicas = replicas.map((url) => onOwnConnection(url, plainPeer).catch(() => undefined))
  const asked = await Promise.all([ofDatabase, ...ofReplicas])
  const peers = asked.filter((peer) => peer !== undefined)
  if (peers.length === 0) return warnings
  return [
    ...warnings,
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
