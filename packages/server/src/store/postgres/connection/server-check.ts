import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { addAll } from '../../../domain/common/any-number.ts'
import { isLoopback } from '../../../domain/common/fetching.ts'
import { type Client, onOwnConnection, UNTOUCHED } from './client.ts'
import { checkConnectionLimits } from './connection-limits.ts'
import { assertDurable } from './durability.ts'
import { assertOwnSession } from './session-pooling.ts'

/**
 * Checks a server before anything is written: sessions must not be shared, and commits must be durable.
 * Rejects with `SessionsShared`, with `DataLossPossible` unless `allowDataLoss`, or with `StoreUnavailable`.
 */
export async function checkServer(url: string, allowDataLoss: boolean): Promise<void> {
  const check = async (client: Client) => {
    await assertOwnSession(client, url)
    if (!allowDataLoss) await assertDurable(client)
  }
  await onOwnConnection(url, check, UNTOUCHED)
}

/**
 * Checks the servers of a store before `processes` processes serve it. Returns one sentence for each warning
 * to the operator. Rejects with `TooFewConnections`, or with `StoreUnavailable` if the database does not
 * answer. Replicas may be down.
 */
export async function checkForServing(
  database: string,
  replicas: readonly string[],
  processes: number,
): Promise<string[]> {
  const warnings: string[] = []
  const ofDatabase = onOwnConnection(database, async (client) => {
    addAll(warnings, await checkConnectionLimits(client, processes))
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

/** The other machine's address if the connection to it is not encrypted. */
async function plainPeer(client: Client): Promise<string | undefined> {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const { remoteAddress } = stream
  // A Unix socket has no address.
  if (stream instanceof TLSSocket || remoteAddress === undefined) return undefined
  return isLoopback(remoteAddress) ? undefined : remoteAddress
}
