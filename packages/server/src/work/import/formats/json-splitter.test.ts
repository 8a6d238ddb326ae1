import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type JsonElement, JsonSplitter, LONGEST_ELEMENT } from './json-splitter.ts'

function split(text: string, members: readonly string[] = ['features'], size = 1 << 16) {
  const splitter = new JsonSplitter(members)
  const bytes = Buffer.from(text)
  const elements: JsonElement[] = []
  for (let at = 0; at < bytes.length; at += size) {
    elements.push(...splitter.feed(bytes.subarray(at, at + size)))
  }
  const cut = splitter.end()
  if (cut !== null) elements.push(cut)
  return { elements, frame: splitter.frame(), splitter }
}

const parsed = (elements: readonly JsonElement[]) => elements.map(({ text }) => JSON.parse(text))

test('the elements equal those of JSON.parse, and the frame is the rest, with any pieces', () => {
  const members = fc.dictionary(
    fc.string().filter((key) => key !== 'features' && key !== '__proto__'),
    fc.jsonValue(),
    { maxKeys: 4 },
  )
  fc.assert(
    fc.property(
      members,
      members,
      fc.array(fc.jsonValue()),
      fc.constantFrom(0, 2),
      fc.integer({ min: 1, max: 40 }),
      (before, after, features, indent, size) => {
        const text = JSON.stringify({ ...before, features, ...after, features_: 1 }, null, indent)
        const found = split(text, ['features'], size)
        assert.deepEqual(parsed(found.elements), JSON.parse(JSON.stringify(features)))
        assert.ok(found.elements.every(({ isCut, member }) => !isCut && member === 'features'))
        assert.deepEqual(
          JSON.parse(found.frame!),
          JSON.parse(JSON.stringify({ ...before, features: [], ...after, features_: 1 })),
        )
        assert.ok(found.splitter.isClosed())
      },
    ),
  )
})

test('several members are split, and an array that is the whole text', () => {
  const text = JSON.stringify({ a: [1, 'x'], other: [3], b: [{ a: [4] }], c: [] })
  assert.deepEqual(
    split(text, ['a', 'b', 'c']).elements.map(({ member, text }) => [member, text]),
    [
      ['a', '1'],
      ['a', '"x"'],
      ['b', '{"a":[4]}'],
    ],
  )
  const array = split('[{"a":1}, [2]]', ['', 'a'])
  assert.deepEqual(parsed(array.elements), [{ a: 1 }, [2]])
  assert.equal(split('[{"a":1}]', ['a']).splitter.isFound(), false)
})

test('every element has its line number', () => {
  const found = split('{\n"features": [\n{"a":\n1},\n2, 3\n]}')
  assert.deepEqual(
    found.elements.map(({ line }) => line),
    [3, 5, 5],
  )
})

test('a text cut anywhere gives its whole elements', () => {
  const features = [{ a: 'x]}"\\' }, [1, { b: [] }], { c: null }]
  const text = JSON.stringify({ type: 'T', features, z: 1 })
  for (let end = text.indexOf('[') + 1; end < text.length; end += 1) {
    const { elements, frame } = split(text.slice(0, end))
    assert.throws(() => JSON.parse(frame!))
    const whole = parsed(elements.filter(({ isCut }) => !isCut))
    assert.deepEqual(whole, features.slice(0, whole.length))
    assert.ok(elements.length - whole.length <= 1)
  }
})

test('other JSON without such an array is recognized, and its frame is all of it', () => {
  for (const text of [
    '',
    '[]',
    '7',
    '{}',
    '{"features":{}}',
    '{"a":{"features":[]}}',
    '{features:[]}',
  ]) {
    const { splitter, frame } = split(text)
    assert.equal(splitter.isFound(), false, text)
    assert.equal(frame, text)
  }
})

test('an element or a frame that is too long is not kept', () => {
  const long = 'x'.repeat(LONGEST_ELEMENT)
  const { elements } = split(`{"features":["${long}",{"a":1}]}`)
  assert.deepEqual(
    elements.map(({ text, isTooLong }) => [text.length, isTooLong]),
    [
      [1_000, true],
      [7, false],
    ],
  )
  assert.equal(split(`{"a":"${long}"}`).frame, null)
})
