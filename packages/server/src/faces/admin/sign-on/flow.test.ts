import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { localPath } from './flow.ts'

describe('The way back from sign-on', () => {
  it('is a path of the console', () => {
    for (const path of [
      '/',
      '/audit',
      '/organizations/7/objects?search=a%20b#x',
      '/organizations/7/map/@1.5,2',
      '/administration',
    ]) {
      assert.equal(localPath(path), path)
    }
  })

  it('is the first page if the text could lead elsewhere', () => {
    for (const text of [
      null,
      '',
      'audit',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example/',
      'javascript:alert(1)',
      '/a\r\nSet-Cookie: x=1',
      '/a b',
      '/ä',
      '/\t/evil.example',
      '/..//evil.example',
      '/x/..//evil.example',
      '/admin/v1/sign-on/start',
      '/x/../admin/v1/session',
      '/Admin',
      `/${'x'.repeat(2_000)}`,
    ]) {
      assert.equal(localPath(text), '/', String(text))
    }
  })
})
