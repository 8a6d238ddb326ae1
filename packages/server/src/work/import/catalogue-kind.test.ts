import assert from 'node:assert/strict'
import { it } from 'node:test'
import { boolean } from '../../base/domain/setting-rule.ts'
import { readSettings, settingField } from './catalogue-kind.ts'
import { isFault } from './row.ts'

it('A setting that is true or false takes the words of such columns, and nothing else', () => {
  const read = (cell: unknown) => readSettings([settingField('isOpen', boolean)], [cell], 0)
  for (const yes of [true, 'true', 'Yes', '1', 1]) assert.deepEqual(read(yes), { isOpen: true })
  for (const no of [false, 'false', 'NO', '0', 0]) assert.deepEqual(read(no), { isOpen: false })
  assert.deepEqual(read(''), {})
  for (const wrong of ['perhaps', 2, {}]) {
    const fault = read(wrong)
    assert.ok(isFault(fault) && fault.reason === 'bad_is_open', JSON.stringify(wrong))
  }
})
