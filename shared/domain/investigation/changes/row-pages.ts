/**
 * Where the makers of public systems document the rows of three tables: the page of each row, by its id. They stand apart
 * from the rows because who investigates needs these and who checks the tables needs the pages.
 */

/** Where Kubernetes documents the reasons of `platform-records.ts`. */
export const PLATFORM_PAGES: Readonly<Record<string, string>> = {
  memory: 'https://kubernetes.io/docs/tasks/configure-pod-container/assign-memory-resource/',
  'no-room': 'https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-pending',
  volume: 'https://kubernetes.io/docs/concepts/storage/persistent-volumes/',
  image: 'https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff',
  sandbox: 'https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/',
  settings: 'https://kubernetes.io/docs/concepts/configuration/secret/',
  machine: 'https://kubernetes.io/docs/concepts/architecture/nodes/#node-controller',
  webhook: 'https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/',
}

/** Where the vendor says what a change of a resource of `record-mechanisms.ts` does. */
export const RECORD_PAGES: Readonly<Record<string, string>> = {
  'record-secret': 'https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotating-secrets.html',
  'record-permission': 'https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html',
  'record-network-rule': 'https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-groups.html',
  'record-name':
    'https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/troubleshooting-new-dns-settings-not-in-effect.html',
  'record-certificate':
    'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.SSL-certificate-rotation.html',
  'record-parameter':
    'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithParamGroups.html',
  'record-size': 'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.DBInstanceClass.html',
  'record-quota':
    'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html',
  'record-balancing':
    'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html',
  'record-queue':
    'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html',
  'record-cache': 'https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/Strategies.html',
  'record-removal': 'https://docs.aws.amazon.com/AmazonECR/latest/userguide/LifecyclePolicies.html',
  'record-engine':
    'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.Upgrading.html',
  'record-platform': 'https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html',
  'record-system': 'https://docs.aws.amazon.com/linux/al2023/ug/compare-with-al2.html',
}

/** Where a library of a purpose of `bumped-libraries.ts` says how it fails or behaves. */
export const LIBRARY_PAGES: Readonly<Record<string, string>> = {
  'bumped-store-client': 'https://node-postgres.com/apis/pool',
  'bumped-http-client': 'https://github.com/nodejs/undici/blob/main/docs/docs/api/Errors.md',
  'bumped-queue-client': 'https://kafka.apache.org/documentation/#consumerconfigs',
  'bumped-serializer': 'https://protobuf.dev/programming-guides/proto3/#updating',
  'bumped-security': 'https://docs.openssl.org/master/man7/ossl-guide-migration/',
}
