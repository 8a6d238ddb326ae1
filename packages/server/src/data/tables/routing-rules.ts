import {
  DEPLOYMENT,
  indexedRules,
  MAX_RULES,
  type RoutedFacts,
  type RoutingRule,
} from '../../base/domain/routing-rule.ts'
import type { RoutingStore } from '../../engine/store/key-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { noted } from './audit-tables.ts'
import { inExisting, type OrganizationSql, type Sql, type Tables } from './sql.ts'

const rulesOf = (condition: string) => `
  SELECT id, condition, attribute, any_of AS "anyOf", organizations,
    create_objects AS "createObjects", created_at AS "createdAt",
    placed_idents AS "placedIdents", last_placed_at AS "lastPlacedAt"
  FROM routing_rules WHERE ${condition} ORDER BY rank`
const ADD_RULE = `
  INSERT INTO routing_rules
    (rank, condition, attribute, any_of, organizations, create_objects, created_at,
      placed_idents)
  VALUES ($1, $2, $3, $4, $5, $6, $7, 0) RETURNING id`
const COUNT_PLACED = `
  UPDATE routing_rules SET placed_idents = placed_idents + $2,
    last_placed_at = CASE WHEN last_placed_at > $3 THEN last_placed_at ELSE $3 END
  WHERE id = $1`
const RANK_RULE = 'UPDATE routing_rules SET rank = $2 WHERE id = $1'
const REMOVE_RULE = 'DELETE FROM routing_rules WHERE id = $1'
const ORGANIZATIONS = 'SELECT id FROM organizations'

/** Counts idents that rules placed, in the order of the rules' ids, so that two transactions seldom wait for each other. */
export function countPlaced(
  { run }: Pick<Sql, 'run'>,
  placed: readonly (readonly [rule: number, idents: number, at: number])[],
): void {
  for (const each of placed.toSorted(([a], [b]) => a - b)) run(COUNT_PLACED, each)
}

type RuleRow = Omit<RoutingRule, 'anyOf' | 'organizations' | 'createObjects'> & {
  anyOf: string
  organizations: string
  createObjects: boolean | number
}

export function* existingOrganizations({ all }: Sql): Work<Set<number>> {
  const rows = yield* all<{ id: number }>(ORGANIZATIONS, [])
  return new Set(rows.map(({ id }) => id))
}

/** `condition`: in SQL. */
function* rulesIn(sql: Sql, condition = 'true'): Work<RoutingRule[]> {
  const rows = yield* sql.all<RuleRow>(rulesOf(condition), [])
  return rows.map((row) => ({
    ...row,
    anyOf: JSON.parse(row.anyOf),
    organizations: JSON.parse(row.organizations),
    createObjects: Boolean(row.createObjects),
  }))
}

export function ruleWrites(
  tables: Tables,
): Pick<RoutingStore, 'rules' | 'addRule' | 'moveRule' | 'removeRule' | 'noteMatches'> {
  /** Runs work on the rules alone, and reports that they change if it returns a rule. */
  async function onRules<Result>(
    work: (sql: OrganizationSql, rules: RoutingRule[]) => Work<Result>,
  ): Promise<Result> {
    const { result } = await inExisting(tables, DEPLOYMENT, function* (sql) {
      const result = yield* work(sql, yield* rulesIn(sql))
      if (result !== null && typeof result === 'object') sql.changed('feed_tokens')
      return { result }
    })
    return result
  }

  return {
    rules: () => tables.read((sql) => rulesIn(sql)),
    async noteMatches(lastAt) {
      await tables.write(function* (sql) {
        countPlaced(
          sql,
          Array.from(lastAt, ([id, at]) => [id, 0, at] as const),
        )
      })
    },
    addRule: (rule, before, now, note) =>
      onRules(function* (sql, rules) {
        const { condition, attribute, anyOf, organizations, createObjects } = rule
        const known = yield* existingOrganizations(sql)
        if (!organizations.every((id) => known.has(id))) return 'no_organization'
        if (rules.length >= MAX_RULES) return 'too_many_rules'
        if (!isPlace(rules, before)) return 'no_such_before'
        const lists = [JSON.stringify(anyOf), JSON.stringify(organizations)]
        const values = [rules.length, condition, attribute, ...lists, createObjects, now]
        const { id } = (yield* sql.one<{ id: number }>(ADD_RULE, values))!
        const added = { ...rule, id, createdAt: now, placedIdents: 0, lastPlacedAt: null }
        rank(sql, inserted(rules, added, before))
        return yield* noted(sql, added, note)
      }),
    moveRule: (id, before, note) =>
      onRules(function* (sql, rules) {
        const rule = rules.find((each) => each.id === id)
        if (rule === undefined) return null
        if (!isPlace(rules, before)) return 'no_such_before'
        const others = rules.filter((each) => each !== rule)
        if (before !== id) rank(sql, inserted(others, rule, before))
        return yield* noted(sql, rule, note)
      }),
    removeRule: (id, note) =>
      onRules(function* (sql, rules) {
        const rule = rules.find((each) => each.id === id)
        if (rule === undefined) return null
        sql.run(REMOVE_RULE, [id])
        return yield* noted(sql, rule, note)
      }),
  }
}

function isPlace(rules: readonly RoutingRule[], before: number | null): boolean {
  return before === null || rules.some(({ id }) => id === before)
}

function inserted(
  rules: readonly RoutingRule[],
  rule: RoutingRule,
  before: number | null,
): RoutingRule[] {
  const found = rules.findIndex(({ id }) => id === before)
  return rules.toSpliced(found === -1 ? rules.length : found, 0, rule)
}

function rank({ run }: Sql, rules: readonly RoutingRule[]): void {
  for (const [index, { id }] of rules.entries()) run(RANK_RULE, [id, index])
}

const OF_IDENTS = "condition IN ('ident', 'prefix')"

/**
 * Those of the idents that no rule gives to an organization other than that of the transaction. An ident without a packet
 * has no group and no attribute, so the first rule about idents decides.
 */
export function* withoutForeignRule(
  sql: OrganizationSql,
  idents: readonly string[],
): Work<string[]> {
  const rules = idents.length === 0 ? [] : yield* rulesIn(sql, OF_IDENTS)
  const { matching } = yield* sql.compute(indexedRules(rules))
  return idents.filter((ident) => {
    const { organizations = [] } = matching(factsOf(ident)) ?? {}
    return organizations.every((each) => each === sql.organization)
  })
}

function factsOf(ident: string): RoutedFacts {
  return { ident, groups: [], attribute: () => undefined }
}
