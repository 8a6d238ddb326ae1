import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Fleet } from '../harness/fleet.ts'
import { IDENTS, type ObjectName } from '../harness/fleet-data.ts'
import type { Organization } from '../harness/organization.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

/** The fields that identify a fix in every output format. */
export type Driven = { time_device: string; latitude: number; longitude: number }

const files = temporaryFolder()
const START = Date.parse('2024-06-01T00:00:00Z')

/** The fix of this number: one a second, each different from its neighbors. */
export function drivenAt(number: number): Driven {
  return {
    time_device: new Date(START + number * 1000).toISOString(),
    latitude: ((number * 7919) % 900_000) / 10_000,
    longitude: (1 + ((number * 104_729) % 1_799_000)) / 10_000,
  }
}

/** Imports the fixes of these numbers for an object, and expects the import to accept all of them. */
export async function importDrive(
  fleet: Fleet,
  organization: Organization,
  object: ObjectName,
  numbers: Iterable<number>,
): Promise<void> {
  const file = join(files, 'drive.csv')
  let count = 0
  function* lines() {
    yield 'ident,time_device,latitude,longitude\n'
    for (const number of numbers) {
      const { time_device, latitude, longitude } = drivenAt(number)
      count += 1
      yield `${IDENTS[object]},${time_device},${latitude},${longitude}\n`
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file))
  const summary = await fleet.json('import', 'positions', '--org', String(organization.id), file)
  assert.equal(summary.accepted, count)
}

/** The numbers from `from` on, before `to`: each, or every `step`th. */
export function* numbersFrom(from: number, to: number, step = 1): Generator<number> {
  for (let number = from; number < to; number += step) yield number
}
