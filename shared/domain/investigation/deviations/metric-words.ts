/**
 * The words of a series' name, however its tool writes them: in capitals, with dots, or run together.
 */

/**
 * Words that tools write without a boundary between them, as exporters do that put everything in small letters.
 * @see https://github.com/prometheus/cloudwatch_exporter (aws_rds_cpuutilization_average)
 * @see https://learn.microsoft.com/azure/azure-monitor/reference/supported-metrics/microsoft-cache-redis-metrics (usedmemorypercentage)
 * @see https://kafka.apache.org/documentation/#monitoring (UnderReplicatedPartitions, OfflinePartitionsCount)
 */
const RUN_TOGETHER: readonly (readonly [RegExp, string])[] = [
  [/cpu(util[a-z]+|percent\w*|credit|surplus)/g, 'cpu $1'],
  [/used?memory/g, 'used memory '],
  [/connectedclients/g, 'connected clients'],
  [/cache(hit|miss)(es|s)?(rate)?/g, 'cache $1$2 $3'],
  [/under ?(min ?)?(replicated|isr)/g, 'underreplicated '],
  [/offline(partitions|replicas|log)/g, 'offline $1'],
  [/(pending|failed|blocked)(tasks|threads|connections|compactions)/g, '$1 $2'],
  [/\bmem(available|free|total)/g, 'mem $1'],
  [/\bmaxwait\b/g, 'wait'],
  [/\bload(1|5|15)\b/g, 'load $1'],
  [/retrans ?segs/g, 'retransmits'],
]

/** The host before a name of Google Cloud is of a product, not of what is measured. */
const GOOGLE_HOST = /^[\w-]+\.googleapis\.com\//
/**
 * Which statistic of a metric of CloudWatch an exporter gives stands at the end of its name, and is no word of it.
 * @see https://github.com/prometheus/cloudwatch_exporter (aws_elb_request_count_sum)
 * @see https://github.com/prometheus-community/yet-another-cloudwatch-exporter (aws_sqs_approximate_age_of_oldest_message_maximum)
 */
const CLOUDWATCH_STATISTIC = /^(aws_\w+)_(average|maximum|minimum|sum|sample_count)$/

/** As its tool writes it, with a boundary between any two words. */
function spaced(name: string): string {
  let text = name
    .replace(GOOGLE_HOST, '')
    .replace(CLOUDWATCH_STATISTIC, '$1')
    .replace(/([1-5])_?xx/gi, ' $1xx ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replace(/_/g, ' ')
    .replace(/\bun healthy\b/g, 'unhealthy')
  for (const [together, apart] of RUN_TOGETHER) text = text.replace(together, apart)
  return text
}

/**
 * The words of a name. A class of status codes is one of them, however it is written.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html (HTTPCode_Target_5XX_Count, UnHealthyHostCount)
 * @see https://learn.microsoft.com/azure/azure-monitor/reference/supported-metrics/microsoft-web-sites-metrics (Http5xx)
 */
export const wordsOf = (name: string): readonly string[] =>
  spaced(name)
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')

/** The vocabulary answers the same for ever; the bound keeps a stream of generated names from growing a table. */
const NAMES_KEPT = 5_000

/** A reading of names that keeps what it read: hundreds of series repeat a few names. */
export function keptByName<T extends NonNullable<unknown> | null>(
  read: (name: string) => T,
): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const found = read(name)
    if (known.size >= NAMES_KEPT) known.clear()
    known.set(name, found)
    return found
  }
}
