import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { elementsOf, type JsonElement } from './json-elements.ts'

function split(text: string) {
  const found = elementsOf(text, 'features')!
  const elements: JsonElement[] = []
  for (;;) {
    const { done, value } = found.next()
    if (done) return { elements, frame: value }
    elements.push(value)
  }
}

test('the elements equal those of JSON.parse, and the frame is the rest', () => {
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
      (before, after, features, indent) => {
        const text = JSON.stringify({ ...before, features, ...after, features_: 1 }, null, indent)
        const found = split(text)
        assert.deepEqual(
          found.elements.map((element) => JSON.parse(element.text)),
          JSON.parse(JSON.stringify(features)),
        )
        assert.ok(found.elements.every(({ isCut }) => !isCut))
        assert.deepEqual(
          JSON.parse(found.frame),
          JSON.parse(JSON.stringify({ ...before, features: [], ...after, features_: 1 })),
        )
      },
    ),
  )
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
    assert.throws(() => JSON.parse(frame))
    const whole = elements.filter(({ isCut }) => !isCut).map((each) => JSON.parse(each.text))
    assert.deepEqual(whole, features.slice(0, whole.length))
    assert.ok(elements.length - whole.length <= 1)
  }
})

test('other JSON without such an array is recognized', () => {
  for (const text of [
    '',
    '[]',
    '7',
    '{}',
    '{"features":{}}',
    '{"a":{"features":[]}}',
    '{features:[]}',
  ]) {
    assert.equal(elementsOf(text, 'features'), null, text)
  }
})
