import { useState } from 'react'
import { TRIAL_RULES } from '../../../server/src/base/domain/routing-rule.ts'
import { change } from '../api/client.ts'
import { useOrganizationNames, useRoutingRules } from '../api/queries.ts'
import type { RoutingTrial, TriedRouting } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { MayChangeHere } from '../ui/changing.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { Note } from '../ui/state/Note.tsx'
import { triedInWords } from './routing-texts.ts'

/** Says where the packets of an ident would go, and why. Nothing is stored. */
export function TryRouting() {
  const [ident, setIdent] = useState('')
  const [group, setGroup] = useState('')
  const [attribute, setAttribute] = useState('')
  const [value, setValue] = useState('')
  const trial = useSaving({
    request: (body: RoutingTrial) => change<TriedRouting>('POST', '/routing/test', body),
  })
  const isMissing = ident.trim() === ''
  return (
    <Card title={t('Where would this ident go?')} lead={t('A dry run: nothing is stored.')}>
      {/* A test changes nothing, so that everybody who reads the rules may do it. */}
      <MayChangeHere value={true}>
        <Form
          saving={trial}
          isReady={!isMissing}
          rules={TRIAL_RULES}
          onSubmit={() =>
            trial.mutate({
              ident: ident.trim(),
              group: textOrNull(group),
              attribute: textOrNull(attribute),
              value: textOrNull(value),
            })
          }
        >
          <div className="columns columns-narrow">
            <TextField
              label={t('Ident')}
              name="ident"
              spellCheck={false}
              autoComplete="off"
              value={ident}
              onChange={setIdent}
              fault={isMissing && t('Enter an ident.')}
            />
            <TextField
              label={t('Group (optional)')}
              name="group"
              value={group}
              onChange={setGroup}
            />
            <TextField
              label={t('Attribute (optional)')}
              name="attribute"
              spellCheck={false}
              value={attribute}
              onChange={setAttribute}
            />
            <TextField
              label={t('Attribute value')}
              name="value"
              value={value}
              onChange={setValue}
            />
          </div>
          <div className="row">
            <Button type="submit" busy={trial.isPending}>
              {t('Test')}
            </Button>
          </div>
        </Form>
      </MayChangeHere>
      <div role="status">{trial.data !== undefined && <Answer tried={trial.data} />}</div>
    </Card>
  )
}

function Answer({ tried }: { tried: TriedRouting }) {
  const rules = useRoutingRules().data?.items ?? []
  const nameOf = useOrganizationNames()
  const ruleOf = (id: number) => {
    const at = rules.findIndex((rule) => rule.id === id)
    return at === -1 ? undefined : { number: at + 1, rule: rules[at]! }
  }
  return (
    <Note kind={tried.organizations.length === 0 ? 'warn' : 'good'}>
      <p>
        <strong>
          <bdi>{tried.ident}</bdi>:
        </strong>{' '}
        {triedInWords(tried, nameOf, ruleOf)}
      </p>
    </Note>
  )
}

function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}
