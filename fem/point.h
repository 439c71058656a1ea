/* placeholder, being written */
#ifndef FEM_POINT_H
#define FEM_POINT_H
typedef enum point_source { POINT_NO_SOURCE, POINT_TAYLOR_GREEN } point_source;
#endif
