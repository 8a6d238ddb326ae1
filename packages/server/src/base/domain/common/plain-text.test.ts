import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import { hiddenIn, isPlainText, visible } from './plain-text.ts'

test('a text with invalid UTF-8 or control characters is not plain', () => {
  assert.ok(isPlainText('Köln 🚌\nGermany'))
  assert.ok(!isPlainText(new TextDecoder().decode(Buffer.from('K\xf6ln', 'latin1'))))
  assert.ok(!isPlainText('a\u0000b'))
  assert.ok(!isPlainText('\ud800'))
})

/**
 * Format characters that have a glyph: signs around Arabic, Syriac and Kaithi numbers, and hieroglyphs in
 * quadrats.
 */
const WITH_GLYPH =
  /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u{13430}-\u{1343f}]/u

describe('Hidden characters', () => {
  it('are found between Latin letters, unlike all others', () => {
    for (let code = 0; code <= 0x10_ffff; code += 1) {
      const character = String.fromCodePoint(code)
      const isHidden =
        (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{DI}\u2800]/u.test(
          character,
        ) &&
          !WITH_GLYPH.test(character)) ||
        undefined
      const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
      const isSpace = '\t\r\n'.includes(character)
      assert.equal(hiddenIn(`a${character}b`), isHidden && !isSpace ? name : undefined, name)
    }
  })

  it('are allowed if they have a visible effect', () => {
    const texts = {
      Persian: 'می\u200cخواهم',
      'an Arabic abbreviation': '١٤٤٥ ه\u200d',
      Hindi: 'क्\u200dष and क्\u200cष',
      Bengali: 'র\u200d\u09cdযাব',
      Malayalam: 'അവന\u0d4d\u200d',
      Sinhala: 'ශ්\u200dරී ලංකා',
      Mongolian: '\u182d\u180e\u1820 \u1820\u180b',
      'a Japanese name': '葛\u{e0100}飾区',
      'a fire engine': '👩\u200d🚒 1',
      'a family': '👨\u200d👩\u200d👧\u200d👦',
      'a handshake of two skins': '🧑🏻\u200d🤝\u200d🧑🏿',
      'a heart on fire, unqualified too': '❤\ufe0f\u200d🔥 ❤\u200d🔥',
      'a flag of tags': '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      'a keycap': '1\ufe0f\u20e3',
      'a sign as a picture, and as text': '☎\ufe0f ▶\ufe0e',
    }
    for (const [language, text] of Object.entries(texts)) {
      assert.equal(hiddenIn(text), undefined, language)
      assert.equal(visible(text), text, language)
    }
  })

  it('are found if the same characters have no effect', () => {
    const texts: [string, string][] = [
      ['1\u200d2', 'U+200D'],
      ['می\u200c', 'U+200C'],
      ['می\u200c\u200cخ', 'U+200C'],
      ['a\ufe0f', 'U+FE0F'],
      ['1\ufe0f', 'U+FE0F'],
      ['🏴\u{e0061}\u{e0062}\u{e007f}', 'U+E0061'],
      ['👩\u200d', 'U+200D'],
      ['\ufe0f\u200d🚒', 'U+FE0F'],
      ['مرحبا\u200f', 'U+200F'],
    ]
    for (const [text, name] of texts) assert.equal(hiddenIn(text), name)
  })

  it('are made visible, and none remains', () => {
    assert.equal(visible('\ufe0f\u200d🚒'), '⟨U+FE0F⟩⟨U+200D⟩🚒')
    assert.equal(visible('Van \u202e21\u202c \u001b[2J'), 'Van ⟨U+202E⟩21⟨U+202C⟩ ⟨U+001B⟩[2J')
    const hidden = fc.constantFrom('\u202e', '\u200b', '\u200c', '\u200d', '\ufe0f', '\ufeff', '\0')
    const letter = fc.constantFrom('a', '1', 'م', 'क', '्', '葛', '👩', '🚒', '\u{e0067}', '\ud83d')
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.oneof(hidden, letter)).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const shown = visible(text)
        assert.equal(hiddenIn(shown), undefined)
        assert.equal(shown === text, hiddenIn(text) === undefined)
      }),
    )
  })
})
