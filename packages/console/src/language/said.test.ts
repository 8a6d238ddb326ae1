/// <reference types="node" />
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { said } from './said.ts'
import { i18next } from './text.ts'

describe('A message of the server', () => {
  before(async () => {
    i18next.addResourceBundle('de', 'server', {
      'The name is taken.': 'Der Name ist vergeben.',
      '{{field}} must be {{rule}}': '{{field}} muss {{rule}} sein',
      '{{field}} must be {{rule}}, or null': '{{field}} muss {{rule}} oder null sein',
      'a whole number from {{least}} to {{most}}': 'eine ganze Zahl von {{least}} bis {{most}}',
    })
    await i18next.changeLanguage('de')
  })
  after(() => i18next.changeLanguage('en'))

  it('is translated with the values in it, which are translated too', () => {
    assert.equal(said('The name is taken.'), 'Der Name ist vergeben.')
    assert.equal(
      said('radius must be a whole number from 1 to 9'),
      'radius muss eine ganze Zahl von 1 bis 9 sein',
    )
  })

  it('is read by the most specific template', () => {
    assert.equal(said('color must be red, or null'), 'color muss red oder null sein')
  })

  it('is English if the language does not have it', () => {
    assert.equal(said('The disk is full (a.b*c).'), 'The disk is full (a.b*c).')
  })

  it('keeps braces and markup in a value as they are', () => {
    assert.equal(said('{{x}} $1 <b> must be set'), '{{x}} $1 <b> muss set sein')
  })
})
