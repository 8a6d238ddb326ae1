import { useState } from 'react'
import { ROUTING_RULE_RULES } from '../../../server/src/base/domain/routing-rule.ts'
import { change } from '../api/client.ts'
import type { NewRoutingRule, RoutingRule } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { CheckField, optionsOf, SelectField, TextArea, TextField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { PickOrganizations } from './PickOrganizations.tsx'
import { type Condition, conditionInWords } from './routing-texts.ts'

const CONDITIONS = optionsOf<Condition>({
  prefix: t('Ident prefix'),
  ident: t('Ident'),
  group: t('Device group'),
  attribute: t('Attribute'),
})

const HELP: Record<Condition, string> = {
  prefix: t('For example, 86430 matches all idents that start with 86430.'),
  ident: t('Matches the listed idents.'),
  group: t(
    'Traccar sends the group’s number, not its name. A program in between can add the name.',
  ),
  attribute: t('An attribute of the position or the device, or a device field.'),
}

/** `rules`: those before which the new one can be put. */
export function AddRule({ rules, onClose }: { rules: RoutingRule[]; onClose: () => void }) {
  const [condition, setCondition] = useState<Condition>('prefix')
  const [attribute, setAttribute] = useState('')
  const [values, setValues] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const [createsObjects, setCreatesObjects] = useState(true)
  const [before, setBefore] = useState('')
  const add = useAddRule(onClose)
  const anyOf = linesOf(values)
  const isOfAttribute = condition === 'attribute'
  const isUnnamed = isOfAttribute && attribute.trim() === ''
  return (
    <FormDialog
      title={t('Add rule')}
      action={t('Add rule')}
      saving={add}
      isReady={!isUnnamed && anyOf.length > 0 && chosen.length > 0}
      rules={ROUTING_RULE_RULES}
      fields={['any_of', 'before']}
      onSubmit={() =>
        add.mutate({
          condition,
          attribute: isOfAttribute ? attribute.trim() : null,
          any_of: anyOf,
          organizations: chosen.map(Number),
          create_objects: createsObjects,
          before: before === '' ? null : Number(before),
        })
      }
      onClose={onClose}
    >
      <ConditionFields
        condition={condition}
        onCondition={setCondition}
        attribute={attribute}
        onAttribute={setAttribute}
        fault={isUnnamed && t('Enter the attribute name.')}
      />
      <TextArea
        label={t('Any of these values')}
        name="any_of"
        value={values}
        onChange={setValues}
        help={t('One per line.')}
        fault={anyOf.length === 0 && t('Enter at least one value.')}
      />
      <PickOrganizations chosen={chosen} onChange={setChosen} />
      <CheckField
        label={t('Create an object for each ident')}
        name="create_objects"
        value={createsObjects}
        onChange={setCreatesObjects}
        help={t(
          'If off, the organization lists each ident as a tracker without an object until someone creates the object.',
        )}
      />
      {rules.length > 0 && <BeforeField rules={rules} before={before} onChange={setBefore} />}
    </FormDialog>
  )
}

function useAddRule(onAdded: () => void) {
  return useSaving({
    request: (body: NewRoutingRule) => change<RoutingRule>('POST', '/routing/rules', body),
    refreshes: [['routing']],
    done: t('The rule was added.'),
    onSaved: onAdded,
  })
}

type ConditionFieldsProps = {
  condition: Condition
  onCondition: (condition: Condition) => void
  attribute: string
  onAttribute: (name: string) => void
  fault: string | false
}

function ConditionFields(props: ConditionFieldsProps) {
  const { condition, onCondition, attribute, onAttribute, fault } = props
  return (
    <>
      <SelectField
        label={t('Match by')}
        name="condition"
        options={CONDITIONS}
        value={condition}
        onChange={onCondition}
        help={HELP[condition]}
      />
      {condition === 'attribute' && (
        <TextField
          label={t('Attribute name')}
          name="attribute"
          spellCheck={false}
          value={attribute}
          onChange={onAttribute}
          fault={fault}
        />
      )}
    </>
  )
}

type BeforeFieldProps = {
  rules: RoutingRule[]
  /** The id of a rule. Empty: after all others. */
  before: string
  onChange: (before: string) => void
}

function BeforeField({ rules, before, onChange }: BeforeFieldProps) {
  return (
    <SelectField
      label={t('Order')}
      name="before"
      options={[
        ['', t('After all others')],
        ...rules.map(
          (rule, at) =>
            [
              String(rule.id),
              t('Before {{at}}. {{rule}}', { at: at + 1, rule: conditionInWords(rule) }),
            ] as const,
        ),
      ]}
      value={before}
      onChange={onChange}
    />
  )
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
