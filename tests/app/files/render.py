# SPDX-License-Identifier: BSD-3-Clause
"""render.py FIELDS PICTURE: what VTK draws of a field file, a PNG of its curved cells in the colours of the field `scalar`.

Needs a display; test_vtkhdf.py gives it one of xvfb-run's.
"""
import sys

import vtk

reader = vtk.vtkHDFReader()
reader.SetFileName(sys.argv[1])
surface = vtk.vtkDataSetSurfaceFilter()
surface.SetInputConnection(reader.GetOutputPort())
surface.SetNonlinearSubdivisionLevel(4)
surface.Update()
mapper = vtk.vtkPolyDataMapper()
mapper.SetInputConnection(surface.GetOutputPort())
mapper.SetScalarModeToUsePointFieldData()
mapper.SelectColorArray("scalar")
mapper.SetScalarRange(surface.GetOutput().GetPointData().GetArray("scalar").GetRange())
actor = vtk.vtkActor()
actor.SetMapper(mapper)
renderer = vtk.vtkRenderer()
renderer.AddActor(actor)
renderer.GetActiveCamera().Azimuth(20)
renderer.ResetCamera()
window = vtk.vtkRenderWindow()
window.SetOffScreenRendering(1)
window.SetSize(300, 300)
window.AddRenderer(renderer)
window.Render()
shot = vtk.vtkWindowToImageFilter()
shot.SetInput(window)
writer = vtk.vtkPNGWriter()
writer.SetFileName(sys.argv[2])
writer.SetInputConnection(shot.GetOutputPort())
writer.Write()
