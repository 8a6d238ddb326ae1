import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Tenant } from '../../../bench/tenants.ts'
import { request } from '../../acceptance/harness/client.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { serve } from '../../acceptance/harness/server.ts'
import { makeInstall } from '../clients/install.ts'
import type { Finding, Trial } from '../part.ts'
import { besideUndisturbed } from './undisturbed.ts'

const ATTACKERS = 2
/** Uploads of one organization at once. */
const UPLOADS = 20
const FILE_BYTES = 60_000_000
const EVERY_MS = 1_000
const NAME = `${ATTACKERS * UPLOADS} uploads of two organizations that send nothing`

/** Two organizations begin files and send nothing of them, while another one imports. */
export async function silentUploads({ folder, amount }: Trial): Promise<Finding[]> {
  const data = join(folder, 'silent-uploads')
  const { others } = await makeInstall(data, 0, 0)
  const server = await serve(inFolder(data), ['--geocoder', 'off'])
  try {
    const [importing, ...attacking] = await Promise.all(
      others.slice(0, 1 + ATTACKERS).map(async (tenant) => importer(data, server.admin, tenant)),
    )
    const statuses: number[] = []
    const findings = await besideUndisturbed(
      NAME,
      server,
      others.slice(1 + ATTACKERS),
      async () => {
        const silent = attacking.flatMap((each) =>
          Array.from({ length: UPLOADS }, each.beginSilently),
        )
        const sockets = await Promise.all(silent)
        for (let count = amount({ minutes: 20, hours: 200 }); count > 0; count -= 1) {
          statuses.push(await importing!.importOne())
          await wait(EVERY_MS)
        }
        for (const socket of sockets) socket.destroy()
      },
    )
    const refused = statuses.filter((status) => status !== 200).length
    return [
      ...findings,
      {
        what: `${NAME}: refused imports of another organization, of ${statuses.length}`,
        bar: 'none',
        measured: `${refused}`,
        met: refused === 0,
      },
    ]
  } finally {
    await server.stop()
  }
}

/** A program of an organization that imports over the operator's API. */
async function importer(data: string, admin: string, { organization }: Tenant) {
  const options = ['--org', String(organization), '--role', 'administrator', '--name', 'Imports']
  const { token } = await fleetgateJson(['token', 'issue', ...options, '--data', data])
  const path = `/admin/v1/organizations/${organization}/import/objects?file=a.csv`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }
  const { hostname, port, host } = new URL(admin)
  return {
    async beginSilently(): Promise<Socket> {
      const socket = connect(Number(port), hostname).on('error', () => {})
      await once(socket, 'connect')
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${headers.authorization}\r\n` +
          `Content-Type: text/csv\r\nContent-Length: ${FILE_BYTES}\r\n\r\n`,
      )
      return socket
    },
    async importOne(): Promise<number> {
      const body = 'ident,name\nq,Van\n'
      const length = String(body.length)
      const sent = { method: 'POST', headers: { ...headers, 'content-length': length }, body }
      return (await request(admin, path, sent)).status
    },
  }
}
