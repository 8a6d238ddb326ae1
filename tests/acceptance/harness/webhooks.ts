import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { selfSigned } from '../../../packages/server/testing/certificate.ts'
import {
  openReceiver,
  type ReceivedMessage,
  type WebhookReceiver,
} from '../../../packages/server/testing/webhook-receiver.ts'
import { request } from './client.ts'
import type { Deployment } from './deployment.ts'
import type { Json } from './fleetgate.ts'
import { commandLine } from './make-fleet.ts'
import { newDeployment } from './new-deployment.ts'
import { FEED_PREFIX } from './sender.ts'
import { type ServerProcess, serve } from './server.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const certificate = selfSigned()
export const skipWithoutOpenssl = certificate === undefined ? 'openssl is absent' : false

/** A deployment whose servers may deliver to a receiver on this machine. */
export type WebhookFleet = {
  deployment: Deployment
  /** The token of the organization's feed. */
  token: string
  receiver: WebhookReceiver
  /** Runs a command on the data of the organization. */
  run(...args: string[]): Promise<Json>
  serve(): Promise<ServerProcess>
  /** Sends this many positions to the feed of a server, a second apart, the next ones at each call. */
  drive(server: ServerProcess, count: number): Promise<void>
}

const LONG_AGO = Date.now() - 86_400_000

/** `settings`: options of `org create`. */
export async function startWebhookFleet(...settings: string[]): Promise<WebhookFleet> {
  const deployment = await newDeployment()
  const receiver = await openReceiver(certificate!)
  const ca = join(temporaryFolder(), 'ca.pem')
  writeFileSync(ca, certificate!.cert)
  const { jsonHere } = await commandLine()
  const create = ['org', 'create', 'A', '--create-objects', ...settings]
  const { id } = await jsonHere([...create, ...deployment.args])
  const run = (...args: string[]): Promise<Json> =>
    jsonHere([...args, '--org', String(id), ...deployment.args])
  const { token } = await run('feed-token', 'issue')
  const servers: ServerProcess[] = []
  after(async () => {
    await Promise.all(servers.map((server) => server.kill()))
    await receiver.close()
  })
  let driven = 0
  return {
    deployment,
    token,
    receiver,
    run,
    async serve() {
      const allowed = ['--geocoder', 'off', '--webhook-networks', '127.0.0.1/32']
      const server = await serve(deployment, allowed, { NODE_EXTRA_CA_CERTS: ca })
      servers.push(server)
      return server
    },
    async drive(server, count) {
      const rows = Array.from({ length: count }, () => {
        driven += 1
        const time_device = LONG_AGO + driven * 1_000
        return { ident: 'van', time_device, latitude: 41, longitude: 29 + driven / 1e4, speed: 30 }
      })
      const headers = { 'x-feed-token': token }
      const body = JSON.stringify(rows)
      const sent = { method: 'POST', body, headers }
      const { status, text } = await request(server.feed, `${FEED_PREFIX}/positions`, sent)
      if (status !== 200) throw new Error(`the feed answered ${status}: ${text}`)
    },
  }
}

/** The positions in messages, each message once, by the seconds since the first possible one. */
export function secondsIn(received: readonly ReceivedMessage[]): number[] {
  const distinct = new Map(received.map((message) => [message.id, message]))
  return Array.from(distinct.values(), ({ data }) => data.changes ?? [])
    .flat()
    .filter(({ type }) => type === 'position')
    .map(({ position }) => Math.round((Date.parse(position.time_device) - LONG_AGO) / 1_000))
}
