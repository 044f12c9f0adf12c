// libyaml, with readers for the unions that hold a node's or an event's data.
#ifndef LARDER_CYAML_SHIM_H
#define LARDER_CYAML_SHIM_H

#include <yaml.h>

static inline const unsigned char *larder_yaml_scalar(const yaml_event_t *event, size_t *length) {
    *length = event->data.scalar.length;
    return event->data.scalar.value;
}
static inline int larder_yaml_scalar_plain(const yaml_event_t *event) {
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

#endif
