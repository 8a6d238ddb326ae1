import type { Finding, Part, Trial } from '../part.ts'
import { adherence } from './adherence.ts'
import { attributeNames } from './attribute-names.ts'
import { exhaustedObject } from './exhausted-object.ts'
import { headers } from './headers.ts'
import { hugeGeofence } from './huge-geofence.ts'
import { logFlood } from './log-flood.ts'
import { longLists } from './long-lists.ts'
import { manyPlaces } from './many-places.ts'
import { redisReturn } from './redis-return.ts'
import { silentUploads } from './silent-uploads.ts'
import { webhookReceivers } from './webhook-receivers.ts'

/** Each returns its findings over servers of its own. */
const ATTACKS: Record<string, (trial: Trial) => Promise<Finding[]>> = {
  'webhook receivers': webhookReceivers,
  'huge geofence': hugeGeofence,
  'an exhausted object': exhaustedObject,
  'a Redis that returns': redisReturn,
  headers,
  adherence,
  'many places': manyPlaces,
  'long lists': longLists,
  'silent uploads': silentUploads,
  'a flood of lines': logFlood,
  'names of attributes': attributeNames,
}

export const part: Part = {
  name: 'bounds',
  title: 'What a caller sizes',
  summary:
    'One organization chooses requests, places, names, receivers and limits so that they cost the server most.',
  about: `
Requests, lists, places, names, receivers and limits that one organization chooses so that they cost the server most.
Each attack has servers of its own. An attack that could slow others down runs while 200 other organizations send 100
requests a second. Their 99th percentile may be at most 3 times that of an undisturbed run on the same machine, and at
most 50 ms above it. The server's memory may grow by at most 300 MB.`,
  run,
}

async function run(trial: Trial): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, attack] of Object.entries(ATTACKS)) {
    trial.progress(name)
    findings.push(...(await attack(trial)))
  }
  return findings
}
