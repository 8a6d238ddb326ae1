import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { change } from '../api/client.ts'
import { useOrganizationNames, useRoutingRules } from '../api/queries.ts'
import type { RoutingRule, RoutingRules, RuleMove } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { Icon } from '../ui/Icon.tsx'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { announce } from '../ui/toast/announce.ts'
import { AddRule } from './AddRule.tsx'
import { RuleTable } from './RuleTable.tsx'
import { conditionInWords } from './routing-texts.ts'

type Move = { rule: RoutingRule; before: number | null; place: number }

/** The rules that give new idents to organizations, in their order. */
export function RulesCard() {
  const rules = useRoutingRules()
  const nameOf = useOrganizationNames()
  const table = useRef<HTMLDivElement>(null)
  const [isAdding, setIsAdding] = useState(false)
  const [removed, setRemoved] = useState<RoutingRule | null>(null)
  const move = useMoveRule(table)
  return (
    <Card
      title={t('Rules for new idents')}
      lead={t('Rules apply to idents that no organization owns. The first matching rule wins.')}
      actions={
        <Changing>
          <Button look="primary" onClick={() => setIsAdding(true)}>
            <Icon name="plus" />
            {t('Add rule')}
          </Button>
        </Changing>
      }
    >
      <Problem error={move.error} />
      <Loaded query={rules} lines={3}>
        {({ items }) => (
          <div ref={table}>
            {items.length === 0 ? (
              <Empty title={t('No rules yet')}>
                {t(
                  'New idents wait until someone assigns them. A rule assigns them automatically, by prefix, device group or attribute.',
                )}
              </Empty>
            ) : (
              <RuleTable
                rules={items}
                nameOf={nameOf}
                onMove={(rule, to) => {
                  const others = items.filter((each) => each !== rule)
                  if (move.isPending) return
                  move.mutate({ rule, before: others[to]?.id ?? null, place: to + 1 })
                }}
                onRemove={setRemoved}
              />
            )}
            {isAdding && <AddRule rules={items} onClose={() => setIsAdding(false)} />}
          </div>
        )}
      </Loaded>
      {removed !== null && <RemoveRule rule={removed} onClose={() => setRemoved(null)} />}
    </Card>
  )
}

/** Moves a rule, and keeps the focus on its buttons. */
function useMoveRule(table: RefObject<HTMLElement | null>) {
  const client = useQueryClient()
  return useSaving({
    request: ({ rule, before }: Move) =>
      change<RoutingRules>('POST', `/routing/rules/${rule.id}/move`, {
        before,
      } satisfies RuleMove),
    onAnswer: (moved, { rule, place }) => {
      client.setQueryData(['routing', 'rules'], moved)
      announce(t('{{rule}}: now rule {{place}}', { rule: conditionInWords(rule), place }))
      // A browser takes the focus away from a button that moves.
      setTimeout(() => focusRule(table.current, rule.id))
    },
  })
}

function RemoveRule({ rule, onClose }: { rule: RoutingRule; onClose: () => void }) {
  return (
    <Confirm
      title={t('Delete this rule?')}
      action={t('Delete rule')}
      onClose={onClose}
      onConfirm={() => change('DELETE', `/routing/rules/${rule.id}`)}
      refreshes={[['routing']]}
      done={t('The rule was deleted.')}
    >
      <p>{conditionInWords(rule)}.</p>
      <p>
        {t(
          'Idents that this rule has assigned stay assigned. The other rules apply to new idents.',
        )}
      </p>
    </Confirm>
  )
}

function focusRule(table: HTMLElement | null, rule: number): void {
  const buttons = table?.querySelectorAll<HTMLButtonElement>(`[data-rule="${rule}"]`) ?? []
  const enabled = [...buttons].filter((each) => !each.disabled)
  if (!enabled.some((each) => each === document.activeElement)) enabled[0]?.focus()
}
