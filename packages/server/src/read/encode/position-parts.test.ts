import assert from 'node:assert/strict'
import { it } from 'node:test'
import { vehicle } from '../../../testing/drive-trial.ts'
import { UNSEEN } from '../../base/domain/position/object-state.ts'
import { jsonPositions } from '../formats/json.ts'
import { textIn } from '../formats/number-format.ts'
import { OWN_COLUMNS } from '../formats/position-format.ts'
import { partsOf } from './position-parts.ts'

it('The parts of an object share little memory, because they may be kept', () => {
  const form = jsonPositions(OWN_COLUMNS)
  const parts = (ident: string) =>
    partsOf({ object: { ...vehicle(), ident }, state: UNSEEN }, 'km', form).flatMap((part) => [
      part.before,
      part.none,
    ])
  const shared = new Set(parts('other'))
  for (const ident of ['one', 'two', 'a'.repeat(3_000)]) {
    const own = parts(ident).filter((each) => !shared.has(each))
    assert.ok(own.length > 0)
    const most = Math.max(2_048, ...own.map(({ length }) => length))
    for (const { words } of own) assert.ok(words.buffer.byteLength <= most + 4)
    assert.ok(own.map(textIn).join('').includes(ident))
  }
})
