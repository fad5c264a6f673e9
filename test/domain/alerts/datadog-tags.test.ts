import { describe, expect, it } from 'vitest'
import { serviceOfTags } from '#shared/domain/alerts/datadog-tags.ts'

describe('the service that tags of Datadog name', () => {
  it('is told by the unified service tag, then by workloads of Kubernetes, then by things of AWS', () => {
    const believed = [
      ...['service', 'kube_deployment', 'kube_stateful_set', 'kube_daemon_set', 'kube_container_name'],
      ...['container_name', 'functionname', 'targetgroup', 'loadbalancer', 'apiname', 'dbinstanceidentifier'],
      ...['dbclusteridentifier', 'cacheclusterid', 'tablename', 'queuename'],
    ]
    for (const [index, name] of believed.entries()) {
      const rest = believed.slice(index).toReversed()
      expect(
        serviceOfTags({ env: 'prod', ...Object.fromEntries(rest.map((tag) => [tag, `of-${tag}`])) }),
      ).toBe(`of-${name}`)
    }
  })

  it('is none where no tag names one, and never an empty name', () => {
    expect(serviceOfTags({ env: 'prod', host: 'i-1' })).toBeUndefined()
    expect(serviceOfTags({ service: '', kube_deployment: 'shop' })).toBe('shop')
    expect(serviceOfTags({ service: '' })).toBeUndefined()
  })
})
