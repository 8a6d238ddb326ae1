import { createHmac } from 'node:crypto'
import { type ErasureLine, erasureName } from '../base/domain/erasure-line.ts'
import type { MonitoredObject } from '../base/domain/monitored-object.ts'
import type { Store } from '../engine/store/store.ts'

/*
 * The deleted ranges of a whole deployment as lines, which outlive a restored backup.
 */

type Erased = Pick<Store, 'objects' | 'positions' | 'secret'>

/** A name that all copies and backups of a deployment have, and that tells nothing of its secret. */
export async function deploymentName({ secret }: Pick<Store, 'secret'>): Promise<string> {
  return createHmac('sha256', await secret())
    .update('erasures')
    .digest('hex')
    .slice(0, 16)
}

function actName({ from: _, to: __, ...act }: ErasureLine): string {
  return JSON.stringify(act)
}

export async function erasureLines(store: Erased): Promise<ErasureLine[]> {
  const deployment = await deploymentName(store)
  const lines: ErasureLine[] = []
  let owner: MonitoredObject | null = null
  // They are in the order of their objects.
  for (const each of await store.positions.erasures(null, null)) {
    const { organization, object, attribute, from, to, erasedAt } = each
    if (owner?.organization !== organization || owner.id !== object) {
      owner = await store.objects.find(organization, object)
    }
    if (owner === null) continue
    const { createdAt } = owner
    lines.push({ deployment, organization, object, createdAt, attribute, from, to, erasedAt })
  }
  return lines
}

/**
 * Deletes again what lines of this deployment name and its data does not: an older backup was restored. `stored`: the
 * lines of its data. Returns the number of ranges, how many lines are of other deployments, or of objects that are missing
 * or were made again, and how many are refused because their object has too many ranges.
 */
export async function eraseAgain(
  store: Erased,
  lines: Iterable<ErasureLine>,
  stored: readonly ErasureLine[],
): Promise<{ erased: number; others: number; refused: number }> {
  const deployment = await deploymentName(store)
  const known = new Set(stored.map(erasureName))
  const counts = { erased: 0, others: 0, refused: 0 }
  const missing = new Map<string, ErasureLine>()
  for (const line of lines) if (!known.has(erasureName(line))) missing.set(erasureName(line), line)
  // Those of one act are of one object, and of one moment.
  for (const act of Map.groupBy(missing.values(), actName).values()) {
    const { organization, object, createdAt, attribute, erasedAt } = act[0]!
    const isHere = act[0]!.deployment === deployment
    const owner = isHere && (await store.objects.find(organization, object))
    const isOurs = owner && owner.createdAt === createdAt
    const what = { ranges: act, attribute }
    const erased = isOurs ? await store.positions.erase(organization, object, what, erasedAt) : null
    counts[erased === null ? 'others' : erased === 'too_many' ? 'refused' : 'erased'] += act.length
  }
  return counts
}
