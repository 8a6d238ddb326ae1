import type { AttributeEntry } from '../../base/domain/attributes/attribute-catalogue.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { Included } from '../../base/domain/position/field-lists.ts'
import type { Webhook } from '../../base/domain/webhook.ts'
import type { Page, PageEntry } from '../../engine/changes/page.ts'
import type { ChangesCursor } from '../../read/changes/changes-query.ts'
import type { BodyParts } from '../../read/changes/page-body.ts'
import { latestRow } from '../../read/encode/object-rows.ts'
import { positionRowEncoder } from '../../read/encode/position-rows.ts'
import { positionForm } from '../../read/formats/formats.ts'
import { columnsOf } from '../../read/formats/position-format.ts'

/*
 * The part of a page that a relay sends: positions, one after another. A relay cannot take back, and its receiver does
 * not know of anything else.
 */

/** The fields that the forms of relays have, in addition to those of the contract. */
const INCLUDED: readonly Included[] = ['quality', 'exact']

/** The selection of a relay in place of the one of its settings or of its cursor. */
export function relaySelection(
  { from, include }: Pick<Webhook, 'from' | 'include'>,
  at: ChangesCursor | null,
) {
  // The state of each object is its newest position, until the log brings the next ones.
  const isInSnapshot = at === null || at.offset.part !== 'log'
  const hasStates = from === 'snapshot' && isInSnapshot
  const types = hasStates ? (['positions', 'states'] as const) : (['positions'] as const)
  const attributes = include?.includes('attributes') ? (['attributes'] as const) : []
  return { types, include: [...INCLUDED, ...attributes] }
}

export function onlyPositions(page: Page): Page {
  return { ...page, entries: page.entries.filter(isPosition) }
}

function isPosition(entry: PageEntry): boolean {
  return 'count' in entry || (entry.type === 'state' && entry.state.lastFix !== null)
}

/** The positions of a page as a JSON list of rows, with speeds in km/h. */
export async function positionList(
  parts: BodyParts,
  { language }: Organization,
  entries: readonly AttributeEntry[] | null,
  page: Page,
): Promise<Buffer> {
  const addressAt = await parts.knownAddresses?.(language)
  const shown = entries && { entries, isCurrent: false }
  const form = positionForm('json', 'points', columnsOf(INCLUDED, shown))
  const style = { form, addressAt }
  const rows = page.entries.flatMap((entry) => {
    if ('count' in entry) {
      const { columns, first, count } = entry
      const wanted = { from: first, to: first + count }
      return [positionRowEncoder(entry, 'km', style)(columns, wanted)]
    }
    return entry.type === 'state' ? [Buffer.from(latestRow(entry, 'km', style))] : []
  })
  const separated = rows.flatMap((row, index) => (index > 0 ? [Buffer.from(','), row] : [row]))
  return Buffer.concat([Buffer.from('['), ...separated, Buffer.from(']')])
}
