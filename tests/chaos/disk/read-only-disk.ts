import { join } from 'node:path'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { fleetgate } from '../../acceptance/harness/fleetgate.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { senderTo } from '../../acceptance/harness/sender.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Finding } from '../part.ts'
import { judgeAnswers, makeKnownFolder } from './known-folder.ts'
import { refusalToServe } from './refusal-to-serve.ts'
import type { Scene } from './scene.ts'
import { makeSmallDisk, type SmallDisk } from './small-disk.ts'

const ROW = { ident: 'a', time_device: Date.parse('2025-03-01'), latitude: 41, longitude: 29 }

/** A disk that turns read-only under a server, and one that is read-only before the start. */
export async function readOnlyDisk({ folder }: Scene): Promise<Finding[]> {
  const disk = makeSmallDisk(folder)
  if (disk === undefined) {
    const measured = 'left out: this machine mounts no file system of ours'
    return [{ what: 'a read-only disk', bar: '', measured, met: true }]
  }
  try {
    return await onDisk(disk, folder)
  } finally {
    disk.unmount()
  }
}

async function onDisk(disk: SmallDisk, scratch: string): Promise<Finding[]> {
  const data = join(disk.folder, 'data')
  const known = await makeKnownFolder(data, scratch)
  const [record] = known.records
  const create = ['org', 'update', String(record!.id), '--create-objects', '--data', data]
  await fleetgate(create)
  const server = await serve(inFolder(data), ['--geocoder', 'off'])
  const sender = senderTo(
    organizationOf(record!, () => server.api),
    () => server.feed,
  )
  try {
    disk.breakOff()
    const refused = await sender.send('/positions', { method: 'POST', body: JSON.stringify([ROW]) })
    const answers = await judgeAnswers(server, known.right)
    const wrong = answers.filter(({ verdict }) => verdict === 'wrong')
    const right = answers.filter(({ verdict }) => verdict === 'right')
    await server.kill()
    disk.mountAgain('ro')
    const refusal = await refusalToServe(data)
    disk.mountAgain('rw')
    const again = await judgeAgain(data, known.right)
    return [
      {
        what: 'a disk that turns read-only: packets',
        bar: '503 FEED.503_002',
        measured: `${refused.status} ${refused.json.errorCode}`,
        met: refused.status === 503 && refused.json.errorCode === 'FEED.503_002',
      },
      {
        what: 'a disk that turns read-only: answers that are wrong',
        bar: 'none',
        measured: `${wrong.length} of ${answers.length}, ${right.length} are as before`,
        met: wrong.length === 0,
      },
      refusal.finding('serve on a read-only disk', data, /read-only.*mount/i),
      {
        what: 'the same disk, to be written to again: answers that are as before',
        bar: 'all',
        measured: `${again} of ${known.right.size}`,
        met: again === known.right.size,
      },
    ]
  } finally {
    await server.kill()
  }
}

async function judgeAgain(
  data: string,
  right: Parameters<typeof judgeAnswers>[1],
): Promise<number> {
  const server = await serve(inFolder(data), ['--geocoder', 'off'])
  try {
    const answers = await judgeAnswers(server, right)
    return answers.filter(({ verdict }) => verdict === 'right').length
  } finally {
    await server.stop()
  }
}
