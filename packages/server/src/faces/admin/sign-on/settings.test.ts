import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSignOnRule, rolesOfGroups, type SignOnRule } from '../access/sign-on-settings.ts'

const rules = (...written: string[]): SignOnRule[] => written.map((each) => readSignOnRule(each)!)

describe('A rule of sign-on', () => {
  it('gives a role of the deployment, or of one organization', () => {
    assert.deepEqual(rules('fleet-admins=operator', 'CN=acme,OU=x=viewer:12'), [
      { group: 'fleet-admins', gives: { role: 'operator', organization: null } },
      { group: 'CN=acme,OU=x', gives: { role: 'viewer', organization: 12 } },
    ])
  })

  it('is refused if its role is unknown, or lacks or has an organization that it must not', () => {
    for (const written of [
      'operator',
      '=operator',
      'a=owner',
      'a=Operator',
      'a=operator:1',
      'a=viewer',
      'a=viewer:',
      'a=viewer:0',
      'a=viewer:x',
      'a=viewer:9999999999999999',
      'a=support:3',
    ]) {
      assert.equal(readSignOnRule(written), undefined, written)
    }
  })

  it('matches a group by its whole name, with any text for each *', () => {
    const matches = (group: string, name: string) =>
      rolesOfGroups([name], rules(`${group}=support`)).length === 1
    for (const [group, name] of [
      ['acme', 'acme'],
      ['acme-*', 'acme-'],
      ['acme-*', 'acme-drivers'],
      ['*-admins', 'acme-admins'],
      ['a*b*c', 'abbc'],
      ['a*b*c', 'axxbyyc'],
      ['*', 'anything'],
      ['**', ''],
    ] as const) {
      assert.ok(matches(group, name), `${group} ${name}`)
    }
    for (const [group, name] of [
      ['acme', 'acme2'],
      ['acme', 'Acme'],
      ['acme-*', 'xacme-'],
      ['ab*ba', 'aba'],
      ['a*b*c', 'acb'],
      ['a*bc*c', 'abc'],
      ['a.c', 'abc'],
      ['*', 'x'.repeat(1_001)],
    ] as const) {
      assert.ok(!matches(group, name), `${group} ${name}`)
    }
  })

  it('gives the strongest role of each organization', () => {
    const given = rules(
      ...['v=viewer:1', 'a=administrator:1', 'v=viewer:2', 's=support', 'o=operator', 'x=viewer:3'],
    )
    assert.deepEqual(rolesOfGroups(['a', 'v', 'o', 's'], given), [
      { role: 'administrator', organization: 1 },
      { role: 'viewer', organization: 2 },
      { role: 'operator', organization: null },
    ])
    assert.deepEqual(rolesOfGroups([], given), [])
  })
})
