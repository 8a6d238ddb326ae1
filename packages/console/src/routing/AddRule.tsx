import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ROUTING_RULE_RULES } from '../../../server/src/base/domain/routing.ts'
import { change } from '../api/client.ts'
import type { NewRoutingRule, RoutingRule } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { CheckField, optionsOf, SelectField, TextArea, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { PickOrganizations } from './PickOrganizations.tsx'
import { type Condition, conditionInWords } from './words.ts'

const CONDITIONS = optionsOf<Condition>({
  prefix: t('Prefix of the ident'),
  ident: t('The ident'),
  group: t('The group of the device'),
  attribute: t('An attribute'),
})

const HELP: Record<Condition, string> = {
  prefix: t('For example 86430, for all idents that start with it.'),
  ident: t('A list of idents.'),
  group: t(
    'Traccar sends the number of the group, not its name. A program in between may add the name.',
  ),
  attribute: t('An attribute of the position, of the device, or a field of the device.'),
}

/** `rules`: those before which the new one can be put. */
export function AddRule({ rules, onClose }: { rules: RoutingRule[]; onClose: () => void }) {
  const [condition, setCondition] = useState<Condition>('prefix')
  const [attribute, setAttribute] = useState('')
  const [values, setValues] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const [createsObjects, setCreatesObjects] = useState(true)
  const [before, setBefore] = useState('')
  const [tried, setTried] = useState(false)
  const add = useAddRule(onClose)
  const anyOf = linesOf(values)
  const isOfAttribute = condition === 'attribute'
  const isUnnamed = isOfAttribute && attribute.trim() === ''
  return (
    <Dialog title={t('Add a rule')} onClose={onClose}>
      <Form
        error={add.error}
        rules={ROUTING_RULE_RULES}
        fields={['any_of', 'before']}
        onSubmit={() => {
          setTried(true)
          if (isUnnamed || anyOf.length === 0 || chosen.length === 0 || add.isPending) return
          add.mutate({
            condition,
            attribute: isOfAttribute ? attribute.trim() : null,
            any_of: anyOf,
            organizations: chosen.map(Number),
            create_objects: createsObjects,
            before: before === '' ? null : Number(before),
          })
        }}
      >
        <ConditionFields
          condition={condition}
          onCondition={setCondition}
          attribute={attribute}
          onAttribute={setAttribute}
          error={tried && isUnnamed ? t('Enter the name of the attribute.') : undefined}
        />
        <TextArea
          label={t('With any of these')}
          name="any_of"
          value={values}
          onChange={setValues}
          help={t('One per line.')}
          error={tried && anyOf.length === 0 ? t('Enter at least one.') : undefined}
        />
        <PickOrganizations chosen={chosen} onChange={setChosen} tried={tried} />
        <CheckField
          label={t('Create an object for each ident')}
          name="create_objects"
          value={createsObjects}
          onChange={setCreatesObjects}
          help={t(
            'Otherwise the organization lists it as a tracker without an object until someone creates it.',
          )}
        />
        {rules.length > 0 && <BeforeField rules={rules} before={before} onChange={setBefore} />}
        <SubmitOrCancel action={t('Add rule')} isBusy={add.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

function useAddRule(onAdded: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewRoutingRule) => change<RoutingRule>('POST', '/routing/rules', body),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['routing'] })
      toast(t('The rule was added.'))
      onAdded()
    },
  })
}

type ConditionFieldsProps = {
  condition: Condition
  onCondition: (condition: Condition) => void
  attribute: string
  onAttribute: (name: string) => void
  error: string | undefined
}

function ConditionFields(props: ConditionFieldsProps) {
  const { condition, onCondition, attribute, onAttribute, error } = props
  return (
    <>
      <SelectField
        label={t('Compare')}
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
          error={error}
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
