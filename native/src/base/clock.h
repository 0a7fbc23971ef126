#ifndef TLW_BASE_CLOCK_H
#define TLW_BASE_CLOCK_H

double tlwGetClock(void); // s, rises steadily

#endif
